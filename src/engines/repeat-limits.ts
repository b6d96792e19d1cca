/**
 * Maximum number and total size of an account's results that are longer than 64 bytes, in any engine. Shorter results,
 * such as the id and version of an entry, are not limited, because they are smaller than the audit record of their
 * write. The indexes of the engines contain the 64 bytes, too.
 */
export const maxRepeatWrites = 1_000;
export const maxRepeatBytes = 8_388_608;
