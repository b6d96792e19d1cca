import { quoted } from '../../kernel/fault.js';
import type { Delivery, Outcome, Sender } from '../../notifications/subscribers/sender.port.js';
import { toMail } from './mail.js';
import { createSmtpTransport, type SmtpServer } from './smtp-transport.js';

export interface SmtpOptions extends SmtpServer {
  /** An address, or a name and an address. */
  readonly from: string;
  readonly to: readonly string[];
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
    this.transport = createSmtpTransport(options);
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
