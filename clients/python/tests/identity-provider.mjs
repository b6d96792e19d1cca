// A real OpenID Connect provider. Prints the settings of a logbook that uses it, as JSON. At each line, `confirm
// ADDRESS` or `abort ADDRESS`, opens the address and decides like a person, then prints a line with the status.
import { createInterface } from 'node:readline';
import { confirmDevice } from '../../../dist/test/fixtures/confirm-device.js';
import { IdentityProvider } from '../../../dist/test/fixtures/identity-provider.js';

const provider = await IdentityProvider.reserve();
await provider.start('http://127.0.0.1:1/logbook/login/oidc/callback');
process.stdout.write(`settings ${JSON.stringify(provider.settings)}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const [decision, address] = line.split(' ');
  const { status } = await confirmDevice(address, decision);
  process.stdout.write(`done ${status}\n`);
}
await provider.stop();
