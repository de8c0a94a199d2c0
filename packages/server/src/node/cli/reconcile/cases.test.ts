import { describe, expect, test } from 'vitest';
import { setUp } from '../reconcile.fixture.ts';

describe('cases', () => {
  const idOf = async (run: Awaited<ReturnType<typeof setUp>>['run'], code: string) => {
    const { out } = await run('cases', 'list', '--code', code, '--json');
    return (JSON.parse(out) as { id: string }).id;
  };

  test('list, assign, note, resolve, show: who did what', async () => {
    const { run } = await setUp();
    const id = await idOf(run, 'AMOUNT_MISMATCH');
    expect((await run('cases', 'list')).out).toMatch(/case_\S+ +B-short +AMOUNT_MISMATCH +−15\.00/);
    expect((await run('cases', 'assign', id, 'Tomas')).out).toContain('Tomas');
    await run('cases', 'note', id, 'asked the lender', '--by', 'Tomas');
    const resolved = await run('cases', 'resolve', id, 'they pay tomorrow');
    expect(resolved.err).toMatch(/^Idempotency-Key [0-9a-f-]{36}$/);
    const { out } = await run('cases', 'show', id);
    expect(out).toMatch(/assigned +back-office, for Ines +assignee "Tomas"/);
    expect(out).toMatch(/noted +back-office, for Tomas +note "asked the lender"/);
    expect(out).toMatch(/resolved +back-office, for Ines +reason "they pay tomorrow"/);
    expect((await run('cases', 'list', '--state', 'resolved')).out).toContain(id);
  });

  test('show reads a trail to its end', async () => {
    const { companion, shell, run } = await setUp();
    const id = await idOf(run, 'AMOUNT_MISMATCH');
    for (const note of ['one', 'two', 'three']) await run('cases', 'note', id, note);
    shell.fetch = async (url, init) => {
      const page = new URL(url);
      page.searchParams.set('limit', '2');
      return companion.backOffice.request(page, init);
    };
    const { out } = await run('cases', 'show', id);
    expect(out.match(/(?:opened|note ".*")/g)).toEqual([
      'opened',
      'note "one"',
      'note "two"',
      'note "three"',
    ]);
    const json = JSON.parse((await run('cases', 'show', id, '--json')).out) as {
      events: unknown[];
    };
    expect([Object.keys(json), json.events.length]).toEqual([['case', 'events'], 4]);
  });

  test('the same --key does it once', async () => {
    const { run } = await setUp();
    const id = await idOf(run, 'AMOUNT_MISMATCH');
    for (let time = 0; time < 2; time++) await run('cases', 'note', id, 'x', '--key', 'key-1');
    const { out } = await run('cases', 'show', id);
    expect(out.match(/noted/g)).toHaveLength(1);
  });

  test('a key that no header can carry is refused before anything is sent', async () => {
    const { run } = await setUp();
    for (const key of ['', 'with space', '鍵']) {
      const { code, err } = await run('cases', 'note', 'case_1', 'x', '--key', key);
      expect([code, err.trim()]).toEqual([1, expect.stringMatching(/^A --key is .*ASCII/)]);
    }
  });

  test('a write has the name of its token; without a token it needs --by', async () => {
    const { run, shell } = await setUp();
    delete shell.env.RECONCILIATION_USER;
    const id = await idOf(run, 'AMOUNT_MISMATCH');
    expect((await run('cases', 'note', id, 'seen')).code).toBe(0);
    expect((await run('cases', 'show', id)).out).toMatch(/noted +back-office +note "seen"/);
    delete shell.env.COMPANION_BACK_OFFICE_TOKEN;
    const { code, err } = await run('cases', 'note', 'case_1', 'x');
    expect([code, err.includes('--by')]).toEqual([1, true]);
  });

  test('ageing counts the open ones', async () => {
    const { run } = await setUp();
    expect((await run('cases', 'ageing')).out).toMatch(/3–7 days +10–100 USD +1 +15\.00 USD/);
  });

  test('verify says that the trail is whole, and names the first link that is not', async () => {
    const { companion, run } = await setUp();
    const whole = await run('cases', 'verify');
    expect([whole.code, whole.out.split('\n')[0]]).toEqual([0, '2 events are as written.']);
    const anchor = whole.out.split('\n')[1] ?? '';
    expect((await run('cases', 'verify', '--anchor', anchor)).code).toBe(0);
    await companion.db.updateTable('cases').set({ count: 7 }).execute();
    expect((await run('cases', 'verify')).err).toMatch(
      /event [12] of case case_\S+ is not how the case stands\. All 2 events are as written\.$/,
    );
    await companion.db
      .updateTable('case_events')
      .set({ detail: '{}' })
      .where('seq', '=', 2)
      .execute();
    const broken = await run('cases', 'verify');
    expect(broken.code).toBe(1);
    expect(broken.err).toMatch(
      /^The trail is broken: event 2 of case case_\S+ is not as it was written\. The 1 before/,
    );
  });
});
