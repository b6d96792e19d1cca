import ipaddr from 'ipaddr.js';

export interface AddressRules {
  /** Whether private and loopback addresses are allowed. */
  readonly allowPrivate: boolean;
  /** Addresses and networks (CIDR) that are always allowed. */
  readonly allowed: readonly string[];
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Ranges that `allowPrivate` allows. They exclude link-local addresses, which include metadata services of clouds. */
const privateRanges: readonly string[] = ['loopback', 'private', 'uniqueLocal', 'carrierGradeNat'];

/** The public part of IPv6. Forms that embed an IPv4 address are outside it. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Addresses of metadata services of clouds outside the link-local range. Such services reveal credentials. */
const metadataAddresses = ['168.63.129.16', '100.100.100.200', 'fd00:ec2::254'];

/**
 * Returns the reason why a connection to the address is not allowed; undefined when it is allowed.
 * @param text an IP address in the notation of the system
 */
export function findRefusal(text: string, { allowPrivate, allowed }: AddressRules): string | undefined {
  if (!ipaddr.isValid(text)) return `${text} is not an IP address`;
  // Converts an IPv4-mapped IPv6 address, which connects to the IPv4 address.
  const address = ipaddr.process(text);
  if (allowed.some((network) => isIn(address, network))) return undefined;
  if (metadataAddresses.some((metadata) => isIn(address, metadata)))
    return `${address.toString()} is the metadata service of a cloud`;
  const range = address.range();
  if (range === 'unicast' && (address.kind() === 'ipv4' || isIn(address, globalUnicast))) return undefined;
  if (allowPrivate && privateRanges.includes(range)) return undefined;
  return `${address.toString()} is not a public address`;
}

function isIn(address: Address, network: string | [Address, number]): boolean {
  const [base, bits] = typeof network === 'string' ? parseNetwork(network) : network;
  return address.kind() === base.kind() && address.match(base, bits);
}

function parseNetwork(text: string): [Address, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
