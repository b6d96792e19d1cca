/** Property that links the entries of a thread. It survives every edit, and clients cannot write it. */
export const groupPropertyName = 'Log Entry Group';
