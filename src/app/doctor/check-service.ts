import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ServiceOptions } from '../../config/service-options.js';
import type { Diagnosis } from './diagnosis.js';

const timeoutMs = 10_000;
const maxBytes = 1_048_576;

interface Readiness {
  readonly checks?: Readonly<Record<string, { readonly status: string; readonly message: string }>>;
}

/** Asks the running service at its own address how it is; yields what is not well. */
export async function* checkService({ listeners }: ServiceOptions): AsyncGenerator<Diagnosis> {
  const check = 'service';
  const { host, httpPort, httpsPort } = listeners;
  const own = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  const origin =
    typeof httpPort === 'number' && httpPort > 0
      ? `http://${own}:${httpPort}`
      : typeof httpsPort === 'number' && httpsPort > 0
        ? `https://${own}:${httpsPort}`
        : undefined;
  if (origin === undefined) {
    yield { check, status: 'ok', text: 'its port is not known, so that it was not asked how it is' };
    return;
  }
  let readiness: Readiness;
  try {
    readiness = (await readJson(`${origin}/readyz`)) as Readiness;
  } catch (error) {
    const text = `a process uses the data directory, but ${origin}/readyz does not answer: ${(error as Error).message}`;
    const advice = 'It may be starting, or be a command such as a restore. Look at its log.';
    yield { check, status: 'warning', text, advice };
    return;
  }
  const troubles = Object.entries(readiness.checks ?? {}).filter(([, { status }]) => status !== 'ok');
  for (const [name, { status, message }] of troubles) {
    const advice = 'See Monitoring in docs/operator/running.md.';
    yield { check, status: status === 'failed' ? 'problem' : 'warning', text: `${name}: ${message}`, advice };
  }
  if (troubles.length === 0) yield { check, status: 'ok', text: `the service at ${origin} is ready` };
}

/** The certificate is not checked: it need not name this machine, and no secret is sent. */
function readJson(url: string): Promise<unknown> {
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = send(url, { rejectUnauthorized: false, agent: false, timeout: timeoutMs }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > maxBytes) response.destroy(new Error('the answer is too long'));
      });
      response.on('error', reject);
      response.on('end', () => {
        try {
          resolve(JSON.parse(text));
        } catch {
          reject(new Error('the answer is not that of a logbook'));
        }
      });
    });
    sent.on('timeout', () => sent.destroy(new Error('it does not answer in time')));
    sent.on('error', reject);
    sent.end();
  });
}
