import { expect, test } from 'vitest';
import { reasonsOf } from './errors.ts';
import { PostgresHosts, type ServerState, UnsuitableServerError } from './postgres-hosts.ts';

const [one, two] = [
  { host: 'db1', port: 5432 },
  { host: 'db2', port: 5433 },
];

const primary = (timeline: number, cluster = 'cluster'): ServerState => ({
  pid: 1,
  isStandby: false,
  isReadOnly: false,
  history: { cluster, timeline },
});
const standby: ServerState = { pid: 1, isStandby: true, isReadOnly: true, history: undefined };
const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

/** Creates a choice between two servers whose states a test can change. */
function choice(states: [ServerState | Error, ServerState | Error]) {
  const asked: string[] = [];
  const hosts = new PostgresHosts([one, two], ({ host }) => {
    asked.push(host);
    const state = states[host === one.host ? 0 : 1];
    return state instanceof Error ? Promise.reject(state) : Promise.resolve(state);
  });
  return { hosts, states, asked };
}

test('finds the primary at any position in the list', async () => {
  const { hosts, states } = choice([standby, primary(1)]);
  await hosts.find();
  expect(hosts.current).toBe(two);
  states[0] = primary(2);
  states[1] = refused;
  await hosts.find();
  expect(hosts.current).toBe(one);
});

test('prefers the promoted server to a former primary that was restarted beside it', async () => {
  const { hosts } = choice([primary(3), primary(4)]);
  await hosts.find();
  expect(hosts.current).toBe(two);
});

test('refuses a former primary while its successor is down', async () => {
  const { hosts, states } = choice([primary(3), primary(4)]);
  await hosts.find();
  states[1] = refused;
  const error: unknown = await hosts.find().catch((reason: unknown) => reason);
  expect(reasonsOf(error)).toEqual([
    'No server of the database can be used',
    'db2:5433: connect ECONNREFUSED',
    'db1:5432 is a former primary: it is on timeline 3, and a server on timeline 4 has replaced it',
  ]);
  expect(() => hosts.admit(one, primary(3))).toThrow(UnsuitableServerError);
  expect(hosts.isSuperseded(primary(3))).toBe(true);
});

test('leaves connections to the former primary after a promotion', async () => {
  const { hosts, states } = choice([primary(1), standby]);
  await hosts.find();
  const before = primary(1);
  hosts.admit(one, before);
  expect(hosts.isSuperseded(before)).toBe(false);
  states[1] = primary(2);
  await hosts.find();
  expect(hosts.isSuperseded(before)).toBe(true);
  expect(() => hosts.admit(one, before)).toThrow('db1:5432 is a former primary');
});

test('refuses a connection to a server other than the one found', async () => {
  const { hosts } = choice([standby, primary(2)]);
  await hosts.find();
  expect(() => hosts.admit(one, primary(2))).toThrow('db1:5432 is not the primary');
});

test('accepts a lower timeline after the database has moved to another cluster', () => {
  const hosts = new PostgresHosts([one], () => Promise.reject(refused));
  hosts.admit(one, primary(7));
  hosts.admit(one, primary(1, 'new cluster'));
  expect(hosts.isSuperseded(primary(1, 'new cluster'))).toBe(false);
});

test('refuses servers that belong to two clusters', async () => {
  const { hosts } = choice([primary(1), primary(1, 'another')]);
  await expect(hosts.find()).rejects.toThrow(
    'db1:5432 and db2:5433 are not servers of one database',
  );
});

test('refuses a standby and a read-only server by name', () => {
  const { hosts } = choice([standby, standby]);
  expect(() => hosts.admit(one, standby)).toThrow('db1:5432 is a read-only standby');
  expect(() => hosts.admit(two, { ...primary(1), isReadOnly: true })).toThrow(
    'db2:5433 is read-only',
  );
});

test('shares one search between concurrent callers, and its failure for a short time', async () => {
  const { hosts, asked } = choice([standby, refused]);
  const results = await Promise.allSettled([hosts.find(), hosts.find()]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(hosts.find()).rejects.toThrow('No server of the database can be used');
  expect(asked).toEqual(['db1', 'db2']);
});
