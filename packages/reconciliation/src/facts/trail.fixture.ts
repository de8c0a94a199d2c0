import type { TestFacts } from './facts.fixture.ts';
import { GENESIS, type TrailEvent } from './schema.ts';
import { hashOf, type TrailFacts } from './trail.ts';

const quoted = (value: string | number | undefined) =>
  value === undefined
    ? 'null'
    : typeof value === 'number'
      ? String(value)
      : `'${value.replaceAll("'", "''")}'`;

/**
 * Replaces the trail with another valid, renumbered chain, as a person with write access to the
 * store could.
 */
export async function forgeTrail(
  { meddle }: Pick<TestFacts, 'meddle'>,
  facts: Pick<TrailFacts, 'trailEvents'>,
  change: (events: TrailEvent[]) => TrailEvent[],
): Promise<void> {
  const numbers = new Map<number, number>();
  let previous = GENESIS;
  const statements = ['delete from trail'];
  for (const event of change(await facts.trailEvents({ after: 0, limit: 10_000 }))) {
    const seq = numbers.size + 1;
    numbers.set(event.seq, seq);
    const begun = event.begun === undefined ? undefined : numbers.get(event.begun);
    const forged = { ...event, seq, begun, previous };
    previous = hashOf(forged);
    const { actor, at, detail, key, kind, number, outcome, person, subject } = forged;
    const signedIn = person && JSON.stringify([person.issuer, person.subject]);
    const values = [seq, number, at, subject, kind, actor, signedIn, detail, begun, outcome, key];
    statements.push(
      `insert into trail (seq, number, at, subject, kind, actor, person, detail, begun, outcome, key, previous, hash)
       values (${[...values, forged.previous, previous].map(quoted).join(', ')})`,
    );
  }
  statements.push(`update trail_head set seq = ${numbers.size}, hash = '${previous}'`);
  await meddle(statements.join(';\n'));
}
