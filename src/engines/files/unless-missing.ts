/** Undefined when the file is not there. */
export async function unlessMissing<T>(access: () => Promise<T>): Promise<T | undefined> {
  try {
    return await access();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
