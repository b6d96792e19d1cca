import type { Channel, Context } from 'epics-tca';
import { type ChannelAccessRequest, type ChannelAccessValue, maxItems } from './channel-access-reading.js';

/**
 * The program of the process that reads from Channel Access. Its arguments are the addresses that are searched. It
 * answers a request with a message for each device that has answered, and one at the end.
 */

const defaultPort = 5_064;
/** Connections to devices that are kept for the next request. */
const maxChannels = 2_000;
/** Distance of the types with metadata, and of those with a time, from the type of the value. */
const controlTypes = 28;
const timeTypes = 14;

const channels = new Map<string, Channel>();
const send = (message: ChannelAccessValue | { failure: string } | { isEnd: true }) => process.send?.(message);

process.on('disconnect', () => process.exit());
const library = await import('epics-tca').catch(() => undefined);
const opening = library && open(new library.Context({ EPICS_CA_AUTO_ADDR_LIST: 'NO' }, library.type_log_levels.fatal));
process.on('message', (request: ChannelAccessRequest) => void answer(request));

async function open(context: Context): Promise<Context> {
  const udp = context.getUdpTransport();
  // Values are read on request: nothing needs the announcements of servers, for which others would share a port.
  Object.assign(context, { startCARepeater: () => undefined, checkCaRepeater: async () => undefined });
  Object.assign(udp, { registerToCARepeater: async () => undefined });
  // This socket is only for the other protocol of EPICS.
  const unused = udp.getPvaBeaconSocket();
  const bind = unused.bind.bind(unused);
  Object.assign(unused, { bind: (_port: number, onBound: () => void) => bind(0, '127.0.0.1', onBound) });
  // As an option, the library takes neither ports nor all host names.
  udp.setCaBroadcastAddresses(process.argv.slice(2).map(toAddress));
  await context.initialize();
  return context;
}

function toAddress(address: string): [number, string] {
  const [host = '', port] = address.split(':');
  return [port === undefined ? defaultPort : Number(port), host];
}

async function answer({ names, timeoutMs }: ChannelAccessRequest): Promise<void> {
  const context = await opening;
  if (!library || !context) {
    send({ failure: 'the package epics-tca is not installed' });
    return;
  }
  const { Channel_STATES: states, Context_STATES: contextStates } = library;
  if (context.getState() !== contextStates.INITIALIZED) {
    send({ failure: 'the network cannot be used' });
    return;
  }
  const hasLost = [...channels.values()].some((channel) => channel.getState() !== states.CREATED);
  // The next process begins anew: the library loses track of connections that have ended, and keeps all of them.
  if (hasLost || channels.size > maxChannels) process.exit();
  const endMs = performance.now() + timeoutMs;
  await Promise.all(names.filter(isName).map((name) => read(context, name, endMs)));
  send({ isEnd: true });
}

/** Names have ASCII only. The library would take a number for the id of another device. */
function isName(name: string): boolean {
  return /^[ -~]+$/.test(name) && /\D/.test(name) && !(name in Object.prototype);
}

async function read(context: Context, name: string, endMs: number): Promise<void> {
  const leftSeconds = () => Math.max(0.001, (endMs - performance.now()) / 1_000);
  const channel = channels.get(name) ?? (await context.createChannel(name, 'ca', leftSeconds()));
  if (!channel) return;
  channels.set(name, channel);
  const [type, count] = [channel.getDbrType(), channel.getValueCount()];
  // One after the other: both answers are decoded into the same object. Texts have no metadata.
  const control = type === 0 ? {} : await channel.get(leftSeconds(), type + controlTypes, 1);
  const isLong = count > maxItems;
  const time = await channel.get(leftSeconds(), type + timeTypes, isLong ? 1 : count);
  if (!control || !time) return;
  // Unlike the answer, it has numbers that are not finite.
  send({ name, type, count, control, time, value: isLong ? undefined : channel.getValue() });
}
