/** An address in lines that end at its slashes, so that an id in it stays whole where a line can hold it. */
export const Uri = ({ value }: { value: string }) => (
  <code className="any">
    {value.split(/(?<=[^/]\/)(?!\/)/).map((part, place) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: two parts of an address can be the same
      <span key={place}>
        {place > 0 ? <wbr /> : null}
        {part}
      </span>
    ))}
  </code>
)
