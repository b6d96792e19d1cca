import ipaddr from 'ipaddr.js';

export interface AddressRules {
  /** Whether addresses of private networks and of this machine are as good as public ones. */
  readonly allowPrivate: boolean;
  /** Addresses and networks that are, whatever they are. */
  readonly allowed: readonly string[];
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Of this machine or a private network; that of link-local addresses is not among them, clouds tell secrets there. */
const privateRanges: readonly string[] = ['loopback', 'private', 'uniqueLocal', 'carrierGradeNat'];

/** All of IPv6 that belongs to the public network; forms that carry an IPv4 address inside lie outside of it. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Where clouds tell machines their secrets, outside of the link-local addresses. */
const secretAddresses = ['168.63.129.16', '100.100.100.200', 'fd00:ec2::254'];

/** Why that address may not be connected to; undefined when it may. `text` is an IP address as the system writes it. */
export function refusalOf(text: string, { allowPrivate, allowed }: AddressRules): string | undefined {
  if (!ipaddr.isValid(text)) return `${text} is no address`;
  // One that is mapped into IPv6 leads to the IPv4 address.
  const address = ipaddr.process(text);
  if (allowed.some((network) => isIn(address, network))) return undefined;
  if (secretAddresses.some((secret) => isIn(address, secret)))
    return `${address.toString()} is where a cloud tells secrets`;
  const range = address.range();
  if (range === 'unicast' && (address.kind() === 'ipv4' || isIn(address, globalUnicast))) return undefined;
  if (allowPrivate && privateRanges.includes(range)) return undefined;
  return `${address.toString()} is not an address of the public network`;
}

function isIn(address: Address, network: string | [Address, number]): boolean {
  const [base, bits] = typeof network === 'string' ? networkPrefix(network) : network;
  return address.kind() === base.kind() && address.match(base, bits);
}

function networkPrefix(text: string): [Address, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
