/** A client violated the protocol or a limit, or is refused. The message is sent to the client. */
export class StompError extends Error {
  override readonly name = 'StompError';
}

/** Returns the error of a client that exceeds a fixed limit. */
export function limitError(problem: string, amount: string, countedFor: string): StompError {
  return new StompError(`${problem} The limit is ${amount} for ${countedFor}, and is fixed.`);
}

/** Formats a number of bytes for a message. */
export function inKilobytes(bytes: number): string {
  return `${Number((bytes / 1_024).toFixed(2))} kB`;
}

/** Quotes a client's text for a message: shortened, and without control characters. */
export function quoted(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cs}]/gu, '\ufffd');
  return `“${plain.length > 80 ? `${plain.slice(0, 80)}…` : plain}”`;
}
