/** Log of the service, one JSON object per line. Messages are constant; varying values are fields of `details`. */
export interface Log {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
  /** Returns a log that adds the name of a part of the program to each line. */
  child(bindings: { readonly part: string }): Log;
}
