import { createTransport } from 'nodemailer';
import { quoted } from '../../kernel/fault.js';
import type { Delivery, Outcome, Sender } from '../../notifications/subscribers/sender.port.js';
import { toMail } from './mail.js';

export interface SmtpOptions {
  /** `smtp:` or `smtps:`, with user and password if the server requires them. */
  readonly url: URL;
  readonly from: string;
  readonly to: readonly string[];
  /** For each step of the conversation. */
  readonly timeoutMs: number;
}

/** An attempt may take this many times `timeoutMs`. */
const maxSteps = 6;

interface MailError {
  readonly code?: string;
  readonly responseCode?: number;
  readonly message: string;
}

/** Sends each delivery as one mail, over a connection of its own. */
export class SmtpSender implements Sender {
  private readonly transport;

  constructor(private readonly options: SmtpOptions) {
    const { url, timeoutMs } = options;
    const hasUser = url.username !== '';
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    this.transport = createTransport({
      host,
      secure: url.protocol === 'smtps:',
      ...(url.port !== '' && { port: Number(url.port) }),
      ...(hasUser && { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }),
      // Otherwise the password would cross the network unencrypted.
      requireTLS: hasUser && !/^(localhost|127(\.\d+){3}|::1)$/.test(host),
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      dnsTimeout: timeoutMs,
      allowInternalNetworkInterfaces: true,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  async send(delivery: Delivery, stop: AbortSignal): Promise<Outcome> {
    const { from, to, timeoutMs } = this.options;
    const timeout = AbortSignal.timeout(timeoutMs * maxSteps);
    const signal = AbortSignal.any([stop, timeout]);
    try {
      const sent = await this.transport.sendMail({ ...toMail(delivery, from, to), signal });
      const rejected = sent.rejected.length;
      return rejected === 0
        ? { kind: 'delivered' }
        : { kind: 'delivered', remark: `The mail server rejected ${rejected} of ${to.length} recipients.` };
    } catch (error) {
      if (stop.aborted) return { kind: 'failed', reason: 'The service stopped.' };
      if (timeout.aborted) return { kind: 'failed', reason: 'The mail server did not respond in time.' };
      return toOutcome(error as MailError);
    }
  }
}

function toOutcome({ code, responseCode, message }: MailError): Outcome {
  if (responseCode === undefined) {
    return { kind: 'failed', reason: `The mail server could not be reached: ${quoted(message, 200)}.` };
  }
  const step = steps[code ?? ''];
  const reason = `The mail server responded with ${responseCode}${step === undefined ? '' : ` to ${step}`}.`;
  // Errors of credentials and encryption are not final: they are fixed at the server or in the configuration.
  const isFinal = responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE');
  return { kind: isFinal ? 'refused' : 'failed', reason };
}

const steps: Readonly<Record<string, string>> = {
  EAUTH: 'the credentials',
  EENVELOPE: 'the sender or recipients',
  EMESSAGE: 'the mail',
};
