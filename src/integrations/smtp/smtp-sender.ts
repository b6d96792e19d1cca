import { domainToASCII } from 'node:url';
import { quoted } from '../../kernel/fault.js';
import type { Delivery, Outcome, Sender, UndeliveredRecipient } from '../../notifications/subscribers/sender.port.js';
import { type MailFrame, toMail } from './mail.js';
import { createSmtpTransport, type SmtpServer } from './smtp-transport.js';

export interface SmtpOptions extends SmtpServer, MailFrame {}

/** Maximum duration of an attempt, as a multiple of `timeoutMs`. */
const maxSteps = 6;

interface MailError {
  readonly code?: string;
  readonly responseCode?: number;
  readonly message: string;
  readonly rejectedErrors?: readonly RejectedRecipient[];
}

/** The server's answer to one recipient. */
interface RejectedRecipient {
  readonly recipient?: string;
  readonly responseCode?: number;
}

/** Sends each delivery as one mail, over a separate connection. */
export class SmtpSender implements Sender {
  private readonly transport;

  constructor(private readonly options: SmtpOptions) {
    this.transport = createSmtpTransport(options);
  }

  async send(delivery: Delivery, stop: AbortSignal): Promise<Outcome> {
    const { from, to, timeoutMs } = this.options;
    const { recipient } = delivery;
    if (recipient !== undefined && !to.some((one) => isSameAddress(one, recipient))) {
      return { kind: 'refused', reason: `${quoted(recipient)} is no longer a recipient of this subscriber.` };
    }
    const timeout = AbortSignal.timeout(timeoutMs * maxSteps);
    const signal = AbortSignal.any([stop, timeout]);
    try {
      const envelope = { from, to: recipient === undefined ? [...to] : [recipient] };
      const sent = await this.transport.sendMail({ ...toMail(delivery, this.options), envelope, signal });
      const undelivered = ((sent as Partial<MailError>).rejectedErrors ?? []).map(toUndelivered);
      return undelivered.length === 0 ? { kind: 'delivered' } : { kind: 'partly', hasArrived: true, undelivered };
    } catch (error) {
      if (stop.aborted) return { kind: 'failed', reason: 'The service stopped.' };
      if (timeout.aborted) return { kind: 'failed', reason: 'The mail server did not respond in time.' };
      return toOutcome(error as MailError);
    }
  }
}

function toOutcome({ code, responseCode, message, rejectedErrors = [] }: MailError): Outcome {
  const undelivered = code === 'EENVELOPE' ? rejectedErrors.map(toUndelivered) : [];
  // All recipients were rejected, some of them permanently. If all may be accepted later, the whole mail is retried.
  if (undelivered.length > 1 && undelivered.some(({ kind }) => kind === 'refused')) {
    return { kind: 'partly', hasArrived: false, undelivered };
  }
  if (responseCode === undefined) {
    return { kind: 'failed', reason: `The mail server could not be reached: ${quoted(message, 200)}.` };
  }
  const step = steps[code ?? ''];
  const reason = `The mail server responded with ${responseCode}${step === undefined ? '' : ` to ${step}`}.`;
  // Errors of credentials and encryption are not final, because someone may correct the server or the configuration.
  const isFinal = responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE');
  return { kind: isFinal ? 'refused' : 'failed', reason };
}

const steps: Readonly<Record<string, string>> = {
  EAUTH: 'the credentials',
  EENVELOPE: 'the sender or recipients',
  EMESSAGE: 'the mail',
};

function toUndelivered({ recipient = '', responseCode = 0 }: RejectedRecipient): UndeliveredRecipient {
  const reason = `The mail server responded with ${responseCode} to the recipient ${quoted(recipient, 254)}.`;
  return { recipient, kind: responseCode >= 500 ? 'refused' : 'failed', reason };
}

/** Whether two addresses are the same mailbox, even if one has its domain in Unicode and the other in ASCII. */
function isSameAddress(one: string, other: string): boolean {
  const split = (address: string) => [address.replace(/@[^@]*$/, ''), domainToASCII(address.replace(/^.*@/, ''))];
  return split(one).join('@') === split(other).join('@');
}
