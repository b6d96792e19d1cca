let handed: string | undefined;

/** Passes the attachment on which marks are to be drawn to the page for writing that opens next. */
export function handAnnotation(attachmentId: string): void {
  handed = attachmentId;
}

export function takeHandedAnnotation(): string | undefined {
  const id = handed;
  handed = undefined;
  return id;
}
