/** How much the results of repeatable writes of one account take at most, in any engine. */
export const maxRepeatWrites = 1_000;
export const maxRepeatBytes = 8_388_608;
