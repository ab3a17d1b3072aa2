/** A number with commas, by hand: `toLocaleString` loads 5 MB of Node's data, and the sentences of the contract are made at the start. */
export const thousands = (value: number): string => String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
