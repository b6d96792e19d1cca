/** The log of the service, one JSON object a line. A message is constant; what varies is a field of `details`. */
export interface Log {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
  /** The same log, whose lines name the part of the program that they come from. */
  child(bindings: { readonly part: string }): Log;
}
