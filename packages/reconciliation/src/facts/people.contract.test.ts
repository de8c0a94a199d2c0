import { describe, expect, test } from 'vitest';
import { databases } from './facts.fixture.ts';
import type { FactStore } from './store.ts';

const issuer = 'https://login.example';

describe.each(databases)('people on %s', (_, make) => {
  test('have permanent names that are unique regardless of letter case', async () => {
    const { open } = await make();
    const subjects = ['a', 'b', 'c'];
    const namesIn = async (facts: FactStore, wanted: string) =>
      Promise.all(subjects.map((subject) => facts.nameOfPerson({ issuer, subject }, wanted)));
    const [names, others] = await Promise.all([
      namesIn(await open(), 'Ada'),
      namesIn(await open(), 'ADA'),
    ]);
    expect(names).toEqual(others);
    const folded = names.map((name) => name.toLowerCase());
    expect(folded.sort()).toEqual(['ada', 'ada (2)', 'ada (3)']);
    const store = await open();
    expect(await store.nameOfPerson({ issuer, subject: 'a' }, 'Grace')).toBe(names[0]);
    // The same subject of another issuer is another person. Full-width letters look the same as
    // others.
    const other = { issuer: 'https://other.example', subject: 'a' };
    expect(await store.nameOfPerson(other, 'Ａｄａ')).toBe('Ａｄａ (4)');
    expect(await store.people()).toHaveLength(4);
  });
});
