/** Which characters of a text a reader sees. */

/** Blanks, control characters and code points without a character; and some letters are not seen either, and two symbols have no ink. */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{C}\p{Z}\u2800\u{1D159}]/gu

export const withoutUnseen = (text: string): string => text.replaceAll(unseen, '')
