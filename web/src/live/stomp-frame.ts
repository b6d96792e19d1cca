interface Frame {
  readonly command: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Writes a STOMP frame without a body. */
export function stompFrame(command: string, headers: Readonly<Record<string, string>>): string {
  const encode = command === 'CONNECT' ? (value: string) => value : escapeHeader;
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${encode(value)}`);
  // CONNECT is not escaped: servers of version 1.0 do not unescape it.
  return `${[command, ...lines].join('\n')}\n\n\0`;
}

const escapeHeader = (value: string): string => value.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/:/g, '\\c');

/** Reads a frame; undefined for a heart-beat. */
export function parseFrame(data: string): Frame | undefined {
  const text = data.replace(/^[\r\n]+/, '');
  if (text === '') return undefined;
  const end = text.search(/\r?\n\r?\n/);
  const [command = '', ...lines] = text.slice(0, end < 0 ? undefined : end).split(/\r?\n/);
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );
  const body =
    end < 0
      ? ''
      : text
          .slice(end)
          .replace(/^\r?\n\r?\n/, '')
          .replace(/\0[\r\n]*$/, '');
  return { command, headers, body };
}
