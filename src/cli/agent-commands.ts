import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { reporting } from './reporting.js';
import type { StopSignals } from './stop-signals.js';
import { UsageError } from './usage-error.js';

export function defineMcp(command: Command, { stop }: StopSignals): void {
  command
    .description(
      'Connect an agent on this machine to a running service with mcp=true. The agent starts this command and exchanges messages with it over its standard input and output. The API token is in the variable LOGBOOK_TOKEN or in a file.',
    )
    .requiredOption('--url <URL>', 'Address of the service, such as https://logbook.example.org.')
    .option('--token-file <FILE>', 'File with the API token, in place of LOGBOOK_TOKEN.')
    .action(
      reporting('The agent was not connected', async () => {
        const { url, tokenFile } = command.opts<{ url: string; tokenFile?: string }>();
        const { bridgeMessages } = await import('./bridge-messages.js');
        const tokenSource = tokenFile === undefined ? 'the variable LOGBOOK_TOKEN' : `the file ${tokenFile}`;
        const service = { url: endpointOf(url), token: readToken(tokenFile), tokenSource };
        await bridgeMessages(service, process.stdin, process.stdout, stop);
      }),
    );
}

/** @throws UsageError */
function endpointOf(address: string): URL {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    throw new UsageError(`--url ${address}: write an address such as https://logbook.example.org`);
  }
  const url = new URL(address);
  url.search = '';
  url.hash = '';
  url.pathname = `${url.pathname.replace(/\/+$/, '').replace(/\/mcp$/, '')}/mcp`;
  return url;
}

/** @throws UsageError when no token is given */
function readToken(file: string | undefined): string {
  const token = (file === undefined ? (process.env.LOGBOOK_TOKEN ?? '') : readFileSync(file, 'utf8')).trim();
  // Other characters cannot be part of a header.
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  const place = file === undefined ? 'The variable LOGBOOK_TOKEN' : `The file ${file}`;
  throw new UsageError(`${place} has no API token. Create one in the browser client, under Tokens.`);
}
