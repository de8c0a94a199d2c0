import { expect, test } from 'vitest';
import { availableMemory, memoryLimitOf } from './memory.ts';

const GIB = 1_073_741_824;
/** `process.constrainedMemory()` in a cgroup whose limit is `max`. */
const UNLIMITED = 2 ** 64;
const machine = 16 * GIB;

test.each([
  ['a machine without limits', { process: UNLIMITED, machine }, '4294MB', 'machine', false],
  ['a system that knows no limits', { process: 0, machine }, '4294MB', 'machine', false],
  ['a container with 4 GiB', { process: 4 * GIB, machine }, '1073MB', 'process', false],
  ['a container with 512 MiB', { process: GIB / 2, machine }, '256MB', 'process', true],
  ['a small machine', { process: UNLIMITED, machine: GIB / 2 }, '256MB', 'machine', true],
] as const)(
  'limits the analytics database to a quarter, and at least 256 MB, on %s',
  (_, available, memoryLimit, memorySource, isMemoryLeast) => {
    const expected = { memoryLimit, memorySource, isMemoryLeast };
    expect(memoryLimitOf(undefined, available)).toEqual(expected);
  },
);

test.each([
  ['2GB', false],
  ['257MB', false],
  ['256MB', true],
  ['64MiB', true],
])('uses a stated limit of %s on any machine', (memoryLimit, isMemoryLeast) => {
  const expected = { memoryLimit, memorySource: 'variable', isMemoryLeast };
  expect(memoryLimitOf(memoryLimit, { process: GIB, machine })).toEqual(expected);
});

test('reads the memory of this machine', () => {
  const available = availableMemory();
  expect(available.machine).toBeGreaterThan(0);
  expect(available.process).toBeGreaterThanOrEqual(0);
});
