/** Fields of an error in the log. */
interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly stack?: string | undefined;
  readonly cause?: LoggedError;
}

const maxCauses = 5;

/**
 * Describes an error for the log. Other fields are omitted, because errors of databases and search servers contain rows
 * and queries with user data.
 */
export function describeErrorForLog(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'a value that is not an error was thrown' };
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return {
    type: error.constructor.name,
    message: withoutInput(error, error.message),
    ...(['string', 'number'].includes(typeof code) && { code }),
    stack: error.stack === undefined ? undefined : withoutInput(error, error.stack),
    ...(cause instanceof Error && depth < maxCauses && { cause: describeErrorForLog(cause, depth + 1) }),
  };
}

/** Removes the input that the JSON parser quotes in its message. */
function withoutInput(error: Error, text: string): string {
  if (!(error instanceof SyntaxError)) return text;
  return text.replace(
    /(Unexpected [^,\n]*|Expected [^"\n]*)[,\s]*(\.\.\.)?"[\s\S]*" is not valid JSON/,
    'the text is not valid JSON',
  );
}
