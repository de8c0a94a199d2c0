import { createHash } from 'node:crypto';
import { programmesSchema } from '@financing-checkout/contract/storefront';
import { expect, test } from 'vitest';
import { TestClock } from '@financing-checkout/kit/testing';
import { START } from '../scripted-service.fixture.ts';
import { isoTime } from '@financing-checkout/kit';
import { programmeOf } from './programmes.fixture.ts';
import { PublishedProgrammes } from './published.ts';

const hashOf = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');

async function setUp(...programmes: Parameters<typeof programmeOf>[1][]) {
  const clock = new TestClock();
  const published = new PublishedProgrammes({ clock });
  await published.replace({
    programmes: programmes.map((change, index) => programmeOf(`programme-${index}`, change)),
  });
  const ids = async () => {
    const { body } = await published.answer();
    return programmesSchema.parse(JSON.parse(body)).programmes.map(({ id }) => id);
  };
  return { clock, published, ids };
}

const shown = (change: object = {}) => ({
  programmeId: 'programme-0',
  textId: 'programme-0-en',
  sha256: hashOf(
    '{payment} a month for {count} months, {apr} APR. Total {total}.\nSubject to credit approval.',
  ),
  amount: 89_000,
  currency: 'USD',
  shownAt: isoTime(START),
  ...change,
});

test('hashes each text together with its disclosure', async () => {
  const url = { url: 'https://lender.example/terms', label: 'Terms' };
  const { published } = await setUp({
    texts: [
      { id: 'a', language: 'en', text: 'Pay later' },
      { id: 'b', language: 'de', text: 'Zahlen Sie später', disclosure: url },
      { id: 'c', language: 'ar', text: 'ادفع لاحقًا', disclosure: { text: 'الشروط' } },
    ],
  });
  const { body } = await published.answer();
  const [programme] = programmesSchema.parse(JSON.parse(body)).programmes;
  expect(programme?.texts.map(({ sha256 }) => sha256)).toEqual([
    hashOf('Pay later'),
    hashOf('Zahlen Sie später\nhttps://lender.example/terms'),
    hashOf('ادفع لاحقًا\nالشروط'),
  ]);
});

test('omits a program from the exact millisecond at which it ends, under a new entity tag', async () => {
  const { clock, published, ids } = await setUp(
    { validUntil: isoTime(START + 1_000) },
    { validUntil: isoTime(START - 1) },
    { validFrom: isoTime(START + 500) },
  );
  const before = await published.answer();
  expect(await ids()).toEqual(['programme-0', 'programme-2']);
  clock.advance(1_000);
  expect(await published.answer()).toEqual(before);
  clock.advance(1);
  expect(await ids()).toEqual(['programme-2']);
  expect((await published.answer()).etag).not.toBe(before.etag);
  // After the clock is set back, the end is in the future again.
  clock.set(-1_000);
  expect(await published.answer()).toMatchObject({ body: before.body, etag: before.etag });
});

test('has an entity tag that depends only on the content', async () => {
  const [first, second, other] = [await setUp({}), await setUp({}), await setUp({ apr: '1' })];
  const { body, etag } = await first.published.answer();
  expect(etag).toBe(`"${hashOf(body)}"`);
  expect((await second.published.answer()).etag).toBe(etag);
  expect((await other.published.answer()).etag).not.toBe(etag);
});

test('publishes the more recent of two files, whichever is hashed first', async () => {
  const { published, ids } = await setUp();
  const texts = Array.from({ length: 50 }, (_, index) => ({
    id: `text-${index}`,
    language: `en-${index}`,
    text: 'Pay later',
  }));
  const [slow, fast] = [programmeOf('slow', { texts }), programmeOf('fast')];
  await Promise.all([
    published.replace({ programmes: [slow] }),
    published.replace({ programmes: [fast] }),
  ]);
  expect(await ids()).toEqual(['fast']);
});

test('returns the text of a reported message, even after the file has changed', async () => {
  const { published } = await setUp({});
  const kept = {
    ...shown(),
    isPublished: true,
    language: 'en',
    text: '{payment} a month for {count} months, {apr} APR. Total {total}.',
    disclosure: { text: 'Subject to credit approval.' },
    programme: { id: 'programme-0', apr: '0', payments: { count: 24 } },
  };
  expect(published.keptMessage(shown())).toMatchObject(kept);
  await published.replace({ programmes: [] });
  expect(published.keptMessage(shown())).toMatchObject(kept);
});

test.each([
  ['another hash', { sha256: 'f'.repeat(64) }],
  ['another text', { textId: 'programme-1-en' }],
  ['the text of another programme', { programmeId: 'programme-1' }],
])('returns %s without a text, because it was not published', async (_, change) => {
  const { published } = await setUp({}, {});
  const reported = shown(change);
  expect(published.keptMessage(reported)).toEqual({ ...reported, isPublished: false });
});

test('returns no text for a program that had ended before the companion read it', async () => {
  const { published } = await setUp({ validUntil: isoTime(START - 1) });
  expect(published.keptMessage(shown()).isPublished).toBe(false);
});
