/**
 * Maximum number and total size of an account's results that are longer than 64 bytes, in any engine. Shorter results,
 * such as the id and version of an entry, are smaller than the audit record of their write and need no limit. The
 * database indexes use the same 64 bytes.
 */
export const maxRepeatWrites = 1_000;
export const maxRepeatBytes = 8_388_608;
