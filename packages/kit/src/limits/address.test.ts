import { expect, test } from 'vitest';
import { addressBlock, isLoopback } from './address.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['64::ffff:192.0.2.7', '64:0:0:0::/64'],
  ['::1', '::1'],
  ['::1:1', '0:0:0:0::/64'],
  ['::5:0:1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['192.0.2.256', undefined],
  ['unknown', undefined],
  ['', undefined],
])('counts "%s" as %s', (address, block) => {
  expect(addressBlock(address)).toBe(block);
});

test('treats only addresses of this machine as loopback', () => {
  expect(['127.0.0.1', '127.9.9.9', '::1'].every(isLoopback)).toBe(true);
  expect(['128.0.0.1', '0:0:0:0::/64', '10.0.0.1'].some(isLoopback)).toBe(false);
});
