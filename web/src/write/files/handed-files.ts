let handed: readonly File[] = [];

/** Passes files to the page for writing that opens next. */
export function handFiles(files: readonly File[]): void {
  handed = files;
}

export function takeHandedFiles(): readonly File[] {
  const files = handed;
  handed = [];
  return files;
}
