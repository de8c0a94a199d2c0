import { expect, test } from 'vitest';
import { historyService, wireHistory } from '../../fundings/history.fixture.ts';
import { defaultSyncSettings } from '../../fundings/settings.ts';
import { createWindows } from '../../fundings/window.ts';
import { digest } from './digest.ts';
import { buffersOf, keepPacked, packWindow, unpackWindow } from './packed-window.ts';

const day = '2026-03-02';

/** As from a thread to another, with what is before its first page in a window of any size. */
async function handedOver(count: number, ahead: number) {
  const { fetchPage } = historyService(wireHistory(count, day, 1));
  const settings = { ...defaultSyncSettings, pageSize: 10, overlap: 3 };
  const [window, here] = await Promise.all([
    createWindows({
      ...{ fetchPage, digest, settings },
      keep: (records, before) => keepPacked(records, ahead + before),
    }).read(day),
    createWindows({ fetchPage, digest, settings }).read(day),
  ]);
  const packed = packWindow(window);
  const bytes = window.days.get(day)?.bytes ?? 0;
  const there = unpackWindow(structuredClone(packed, { transfer: buffersOf(packed) }));
  return { records: there.days.get(day), here: [...(here.days.get(day) ?? [])], bytes };
}

test('records of a large window are deflated, and come out as they were, in any order', async () => {
  // More pages than are inflated at a time.
  const { records, here, bytes } = await handedOver(300, 20_000);
  const plain = await handedOver(300, 0);
  expect(bytes).toBeLessThan(plain.bytes / 2);
  const [there, same] = [[...(records ?? [])], [...(plain.records ?? [])]];
  expect(there).toHaveLength(300);
  for (const at of [...there.keys()].reverse()) {
    const { raw, hash, identity, merchantOrderId } = here[at] ?? {};
    for (const record of [there[at], same[at]]) {
      expect(record).toMatchObject({ raw, hash, identity, merchantOrderId, day });
    }
  }
});

test('what is given back is not read again', async () => {
  const { records } = await handedOver(20, 20_000);
  const [first] = records ?? [];
  expect(first?.raw).toContain('LR-');
  records?.free();
  expect(() => first?.raw).toThrow();
});

test.each([0, 20_000])(
  'records in any script come out as they were, with %i before them',
  (ahead) => {
    const records = ['Größe', '注文', '🧾'].map((word) => ({
      ...{ day, identity: `r.${word}.Settle`, merchantOrderId: word, hash: word },
      ...{ unreadable: word, raw: `{"merchantOrderId":"${word}"}` },
    }));
    const read = [...keepPacked(records, ahead)];
    for (const [at, { identity, merchantOrderId, hash, unreadable, raw }] of records.entries()) {
      expect(read[at]).toMatchObject({ identity, merchantOrderId, hash, unreadable, raw });
    }
  },
);
