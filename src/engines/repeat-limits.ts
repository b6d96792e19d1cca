/**
 * Maximum number and total size of an account's results that are longer than 64 bytes, in any engine. Shorter ones, such
 * as the id and version of an entry, take less than the audit record of their write; they are kept for their whole time.
 * The indexes of the engines name the 64 bytes too.
 */
export const maxRepeatWrites = 1_000;
export const maxRepeatBytes = 8_388_608;
