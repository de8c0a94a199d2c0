import { describe, expect, test } from 'vitest';
import { createClientAddress } from './client-address.ts';

function clientOf(
  peer: string | undefined,
  headers: Record<string, string>,
  options: Partial<Parameters<typeof createClientAddress>[0]> = {},
) {
  const warnings: string[] = [];
  const clientAddress = createClientAddress({
    trustedProxies: ['127.0.0.0/8', '10.0.0.0/8', '2001:db8:ff::/48'],
    forwardedHeader: 'x-forwarded-for',
    logger: { log: (_, event) => void warnings.push(event) },
    ...options,
  });
  const env = { incoming: { socket: { remoteAddress: peer } } };
  const ask = () => clientAddress(new Request('http://localhost/', { headers }), env);
  return { address: ask(), ask, warnings };
}

describe('reads X-Forwarded-For from the right, only through trusted proxies', () => {
  test.each([
    ['no header', '10.0.0.1', undefined, '10.0.0.1'],
    ['one proxy', '10.0.0.1', '192.0.2.7', '192.0.2.7'],
    ['two proxies', '10.0.0.1', '192.0.2.7, 10.0.0.2', '192.0.2.7'],
    ['what the client wrote itself', '10.0.0.1', '198.51.100.9, 192.0.2.7', '192.0.2.7'],
    ['a client that claims to be a proxy', '10.0.0.1', '127.0.0.1, 192.0.2.7', '192.0.2.7'],
    ['a peer that is not a proxy', '192.0.2.7', '198.51.100.9', '192.0.2.7'],
    ['trusted hops to the end', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['a hop that is not an address', '10.0.0.1', 'unknown, 10.0.0.2', '10.0.0.2'],
    ['empty', '10.0.0.1', '', '10.0.0.1'],
    ['unknown, of a proxy on this machine', '127.0.0.1', 'unknown', '127.0.0.1'],
    ['no header, of a proxy on this machine', '127.0.0.1', undefined, '127.0.0.1'],
    ['empty hops', '10.0.0.1', ' , ,', '10.0.0.1'],
    ['an empty hop behind the client', '10.0.0.1', '192.0.2.7, ', '10.0.0.1'],
    ['three proxies', '10.0.0.1', '198.51.100.9, 192.0.2.7, 10.0.0.3, 127.0.0.1', '192.0.2.7'],
    ['a number in octal', '10.0.0.1', '010.0.0.9', '10.0.0.1'],
    ['a number in hexadecimal', '10.0.0.1', '0xc0.0.2.7', '10.0.0.1'],
    ['a part too many', '10.0.0.1', '192.0.2.7.1', '10.0.0.1'],
    ['an invalid port', '10.0.0.1', '192.0.2.7:x', '10.0.0.1'],
    ['a bracket that stays open', '10.0.0.1', '[2001:db8::7', '10.0.0.1'],
    ['a name', '10.0.0.1', 'shopper.example', '10.0.0.1'],
    ['Forwarded in the wrong header', '10.0.0.1', 'for=192.0.2.7', '10.0.0.1'],
    ['IPv6 in brackets', '10.0.0.1', '[2001:db8::7]', '2001:db8::7'],
    ['garbage', '10.0.0.1', '<,>;'.repeat(2_000), '10.0.0.1'],
    ['with a port', '10.0.0.1', '192.0.2.7:5123', '192.0.2.7'],
    ['IPv6 with a port', '10.0.0.1', '[2001:db8::7]:5123', '2001:db8::7'],
    ['IPv6', '2001:db8:ff::1', '2001:db8::7', '2001:db8::7'],
    ['IPv6 with a zone', 'fe80::1%eth0', undefined, 'fe80::1'],
    ['IPv4 in IPv6', '::ffff:10.0.0.1', '::ffff:192.0.2.7', '192.0.2.7'],
  ])('%s', (_, peer, header, expected) => {
    expect(clientOf(peer, header === undefined ? {} : { 'x-forwarded-for': header }).address).toBe(
      expected,
    );
  });

  test('ignores the header that the proxies do not write', () => {
    const headers = { forwarded: 'for=198.51.100.9', 'x-real-ip': '198.51.100.9' };
    expect(clientOf('10.0.0.1', headers).address).toBe('10.0.0.1');
  });

  test('logs a header from an untrusted peer once, because a proxy may be missing from the configuration', () => {
    const { ask, warnings } = clientOf('192.0.2.7', { 'x-forwarded-for': '198.51.100.9' });
    ask();
    expect(warnings).toEqual(['forwarded-header-ignored']);
  });
});

describe('Forwarded (RFC 7239)', () => {
  test.each([
    ['for=192.0.2.7', '192.0.2.7'],
    ['for=198.51.100.9, for=192.0.2.7;proto=https;by=10.0.0.1', '192.0.2.7'],
    ['For="[2001:db8::7]:5123"', '2001:db8::7'],
    ['for="192.0.2.7:80";host="a,b"', '192.0.2.7'],
    ['for=192.0.2.7, for=10.0.0.2', '192.0.2.7'],
    ['for=_hidden', '10.0.0.1'],
    ['for=unknown', '10.0.0.1'],
    ['for=192.0.2.7:5123', '192.0.2.7'],
    ['for="[2001:db8::7]"', '2001:db8::7'],
    ['for=2001:db8::7', '2001:db8::7'],
    ['192.0.2.7', '10.0.0.1'],
    ['for', '10.0.0.1'],
    ['for=', '10.0.0.1'],
    ['for=198.51.100.9;for=192.0.2.7', '198.51.100.9'],
    ['for=198.51.100.9, for=192.0.2.7, for="[2001:db8:ff::2]", for=10.0.0.3', '192.0.2.7'],
    ['proto=https', '10.0.0.1'],
    ['for=198.51.100.9;host="x, for="[2001:db8::7]"', '2001:db8::7'],
    ['for=", for="[2001:db8::7]:5123"', '2001:db8::7'],
    ['host="a;for=198.51.100.9";for=192.0.2.7', '192.0.2.7'],
    ['host="a\\";for=198.51.100.9";for=192.0.2.7', '192.0.2.7'],
    ['for=198.51.100.9, for=192.0.2.7;host="a\\",b"', '192.0.2.7'],
  ])('%s', (header, expected) => {
    const options = { forwardedHeader: 'forwarded' } as const;
    expect(clientOf('10.0.0.1', { forwarded: header }, options).address).toBe(expected);
  });

  test('parses a header full of unclosed quotation marks in linear time', () => {
    const forwarded = `${'\\"'.repeat(7_500)}, for=192.0.2.7`;
    // CPU time, because wall time depends on the load of the machine.
    const started = process.threadCpuUsage();
    const { address } = clientOf('10.0.0.1', { forwarded }, { forwardedHeader: 'forwarded' });
    expect(address).toBe('192.0.2.7');
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(200);
  });
});

test('returns no address for a closed connection', () => {
  expect(clientOf(undefined, { 'x-forwarded-for': '192.0.2.7' }).address).toBeUndefined();
});
