import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ListenerOptions } from '../config/service-options.js';

const maxBytes = 1_048_576;

/**
 * Returns the address at which this machine reaches a configured listener. Undefined when the port is unknown before
 * the start.
 */
export function ownOrigin({ host, httpPort, httpsPort }: ListenerOptions): string | undefined {
  const own = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  if (typeof httpPort === 'number' && httpPort > 0) return `http://${own}:${httpPort}`;
  if (typeof httpsPort === 'number' && httpsPort > 0) return `https://${own}:${httpsPort}`;
  return undefined;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/**
 * Returns the answer of a running service. The certificate is not checked, because it may not name this machine and no
 * secret is sent.
 * @throws Error when nothing answers within the time limit, or the answer is too long or not JSON
 */
export function askService(url: string, timeoutMs: number): Promise<Answer> {
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const signal = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => {
      if (signal.aborted) reject(new Error('it does not answer in time'));
      else if (error.code === 'ECONNREFUSED') reject(new Error('nothing listens there. Is the service running?'));
      else reject(error);
    };
    const sent = send(url, { rejectUnauthorized: false, agent: false, signal }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > maxBytes) response.destroy(new Error('the answer is too long'));
      });
      response.on('error', fail);
      response.on('end', () => {
        try {
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
        } catch {
          reject(new Error('something other than a logbook answered'));
        }
      });
    });
    sent.on('error', fail);
    sent.end();
  });
}
