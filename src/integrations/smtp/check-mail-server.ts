import { quoted } from '../../kernel/fault.js';
import type { Finding } from '../../kernel/finding.js';
import { createSmtpTransport, type SmtpServer } from './smtp-transport.js';

/** Connects to the mail server with TLS and credentials, as for a mail, but sends none. */
export async function checkMailServer(server: SmtpServer): Promise<Finding> {
  const transport = createSmtpTransport(server);
  try {
    await transport.verify();
    const asUser = server.url.username === '' ? '' : ' and has accepted the credentials';
    return { isProblem: false, text: `${server.url.host} responds${asUser}` };
  } catch (error) {
    return { isProblem: true, text: `${server.url.host}: ${quoted((error as Error).message, 200)}` };
  } finally {
    transport.close();
  }
}
