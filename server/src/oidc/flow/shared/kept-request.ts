/** The request with which a mailed link goes on. Rows are small, so a link of a longer request leads to the account page. */
export const keptRequest = (query: string): string => (query.length <= longest_kept_request ? query : 'visit=account')
const longest_kept_request = 4_000
