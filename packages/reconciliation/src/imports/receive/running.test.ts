import { systemClock } from '@financing-checkout/kit';
import { expect, test } from 'vitest';
import type { Upload } from './receive.ts';
import { RunningImports } from './running.ts';

const clock = { ...systemClock, now: () => Date.parse('2026-11-27T12:00:00Z') };

test('lists an import only while it receives and processes its file', async () => {
  const imports = new RunningImports(clock);
  const states: unknown[] = [];
  const look = () =>
    states.push(imports.all.map(({ receivedBytes, state }) => [state, receivedBytes]));
  async function* pieces() {
    yield Uint8Array.of(1, 2, 3);
    look();
    yield await Promise.resolve(Uint8Array.of(4));
  }
  const about = { file: 'a.csv', by: 'anna', dryRun: false };
  const upload: Upload = { pieces: pieces(), sender: 'anna', declared: 4 };
  const result = await imports.run(about, upload, async (counted) => {
    expect(imports.all).toEqual([
      {
        ...{ ...about, state: 'receiving', receivedBytes: 0, totalBytes: 4 },
        startedAt: '2026-11-27T12:00:00.000Z',
      },
    ]);
    const sizes: number[] = [];
    for await (const { length } of counted.pieces) sizes.push(length);
    look();
    return sizes;
  });
  expect(result).toEqual([3, 1]);
  expect(states).toEqual([[['receiving', 3]], [['processing', 4]]]);
  expect(imports.all).toEqual([]);
});

test('no longer lists a failed import', async () => {
  const imports = new RunningImports(clock);
  const upload: Upload = { pieces: new Blob([]).stream(), sender: 'anna' };
  const failed = imports.run({ by: 'anna', dryRun: true }, upload, () =>
    Promise.reject(new Error('refused')),
  );
  await expect(failed).rejects.toThrow('refused');
  expect(imports.all).toEqual([]);
});
