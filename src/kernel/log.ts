/** The log of the service, one JSON object per line. Messages are constant; what varies is a field of `details`. */
export interface Log {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
  /** Returns a log whose lines name the part of the program that wrote them. */
  child(bindings: { readonly part: string }): Log;
}
