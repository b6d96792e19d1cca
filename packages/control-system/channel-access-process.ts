import type { Channel, Context } from 'epics-tca';
import { type ChannelAccessRequest, type ChannelAccessValue, maxItems } from './channel-access-reading.js';

/**
 * Program of the process that reads from Channel Access. Its arguments are the addresses to search. It answers a
 * request with a message for each device that has answered, and a final message.
 */

const defaultPort = 5_064;
/** Maximum number of connections to devices that are kept for later requests. */
const maxChannels = 2_000;
/** Offset from the type of a value to its type with metadata. `timeTypes` is the offset to its type with a time. */
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
  // Values are read on request, so the announcements of servers are not needed. Receiving them would require a port
  // shared with other programs.
  Object.assign(context, { startCARepeater: () => undefined, checkCaRepeater: async () => undefined });
  Object.assign(udp, { registerToCARepeater: async () => undefined });
  // This socket serves only the other protocol of EPICS.
  const unused = udp.getPvaBeaconSocket();
  const bind = unused.bind.bind(unused);
  Object.assign(unused, { bind: (_port: number, onBound: () => void) => bind(0, '127.0.0.1', onBound) });
  // The option of the library accepts neither ports nor all host names.
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
  // A new process replaces this one, because the library loses track of ended connections and never releases them.
  if (hasLost || channels.size > maxChannels) process.exit();
  const endMs = performance.now() + timeoutMs;
  await Promise.all(names.filter(isName).map((name) => read(context, name, endMs)));
  send({ isEnd: true });
}

/**
 * Whether the text can be a name. Names are ASCII, and the library would treat a number as the id of another device.
 */
function isName(name: string): boolean {
  return /^[ -~]+$/.test(name) && /\D/.test(name) && !(name in Object.prototype);
}

async function read(context: Context, name: string, endMs: number): Promise<void> {
  const leftSeconds = () => Math.max(0.001, (endMs - performance.now()) / 1_000);
  const channel = channels.get(name) ?? (await context.createChannel(name, 'ca', leftSeconds()));
  if (!channel) return;
  channels.set(name, channel);
  const [type, count] = [channel.getDbrType(), channel.getValueCount()];
  // The requests are sequential, because both answers are decoded into the same object. Texts have no metadata.
  const control = type === 0 ? {} : await channel.get(leftSeconds(), type + controlTypes, 1);
  const isLong = count > maxItems;
  const time = await channel.get(leftSeconds(), type + timeTypes, isLong ? 1 : count);
  if (!control || !time) return;
  // Unlike the answer, the value of the channel keeps numbers that are not finite.
  send({ name, type, count, control, time, value: isLong ? undefined : channel.getValue() });
}
