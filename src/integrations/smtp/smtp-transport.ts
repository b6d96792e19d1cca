import { createTransport } from 'nodemailer';

export interface SmtpServer {
  /** `smtp:` or `smtps:`, with user and password if the server requires them. */
  readonly url: URL;
  /** Time limit for each step of the conversation. */
  readonly timeoutMs: number;
  /** PEM of the only trusted authorities. Undefined: the authorities that Node.js trusts. */
  readonly caCertificates?: string | undefined;
}

/** Creates a client that opens a connection to the mail server for each mail. */
export function createSmtpTransport({ url, timeoutMs, caCertificates }: SmtpServer) {
  const hasUser = url.username !== '';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return createTransport({
    host,
    secure: url.protocol === 'smtps:',
    ...(url.port !== '' && { port: Number(url.port) }),
    ...(hasUser && { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
    // TLS keeps the password from crossing the network unencrypted.
    requireTLS: hasUser && !/^(localhost|127(\.\d+){3}|::1)$/.test(host),
    ...(caCertificates !== undefined && { tls: { ca: caCertificates } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    allowInternalNetworkInterfaces: true,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
