import { describe, expect, test } from 'vitest';
import { PostgresUrlError, readPostgresUrl } from './postgres-url.ts';

test('decodes host, port, database, user and password', () => {
  expect(readPostgresUrl('postgres://us%65r:p%40ss@db.example:5433/fin%2Dance')).toMatchObject({
    host: 'db.example',
    port: 5433,
    database: 'fin-ance',
    user: 'user',
    password: 'p@ss',
    applicationName: 'financing-companion',
    poolSize: 10,
  });
  expect(readPostgresUrl('postgresql://[::1]/d')).toMatchObject({ host: '::1', port: 5432 });
  expect(readPostgresUrl('postgres:///d?host=/run/postgresql&pool_size=3')).toMatchObject({
    host: '/run/postgresql',
    tls: undefined,
    poolSize: 3,
  });
});

test('reads the user, the password and the port of a socket', () => {
  expect(
    readPostgresUrl('postgres://us%65r:p%40ss@/d?host=/cloudsql/project:region:name'),
  ).toMatchObject({
    host: '/cloudsql/project:region:name',
    port: 5432,
    database: 'd',
    user: 'user',
    password: 'p@ss',
    tls: undefined,
  });
  expect(readPostgresUrl('postgres://user@:6432/d?host=/run/pgbouncer')).toMatchObject({
    host: '/run/pgbouncer',
    port: 6432,
    user: 'user',
    password: undefined,
  });
});

describe('TLS', () => {
  const tls = (text: string) => readPostgresUrl(text).tls;

  test('is verified for remote hosts by default', () => {
    expect(tls('postgres://db.example/d')).toMatchObject({ mode: 'verify-full' });
    expect(tls('postgres://db.example/d?sslmode=disable')).toBeUndefined();
    expect(tls('postgres://localhost/d')).toBeUndefined();
    expect(tls('postgres://127.0.0.1/d?sslmode=verify-ca&sslrootcert=/ca.pem')).toEqual({
      mode: 'verify-ca',
      rootCertificateFile: '/ca.pem',
      certificateFile: undefined,
      keyFile: undefined,
    });
  });

  test('refuses modes that may fall back to plain text', () => {
    for (const mode of ['prefer', 'allow', 'off']) {
      expect(() => tls(`postgres://db.example/d?sslmode=${mode}`)).toThrow(/plain text/);
    }
  });
});

test.each([
  ['no URL', 'postgres', /must be postgres/],
  ['another database', 'mysql://u:hunter2@h/d', /must be postgres/],
  ['no database', 'postgres://u:hunter2@h', /one database/],
  ['no host', 'postgres://u:hunter2@/d', /must name a host/],
  ['no host, and a port', 'postgres://u:hunter2@:5432/d', /must name a host/],
  ['two databases', 'postgres://u:hunter2@h/a/b', /one database/],
  ['a broken escape', 'postgres://u:hunter2%zz@h/d', /hexadecimal/],
  ['an unknown parameter', 'postgres://u:hunter2@h/d?sslmdoe=disable', /unknown or repeated/],
  ['a parameter twice', 'postgres://u:hunter2@h/d?sslmode=disable&sslmode=require', /repeated/],
  ['a key without its certificate', 'postgres://u:hunter2@h/d?sslkey=/k', /together/],
  ['a pool of none', 'postgres://u:hunter2@h/d?pool_size=0', /pool_size/],
  ['a folder beside a host', 'postgres://h/d?host=/run/postgresql', /folder of a socket/],
  ['a host that is not a folder', 'postgres:///d?host=elsewhere', /folder of a socket/],
])('refuses %s without repeating its values', (_, text, message) => {
  let error: unknown;
  try {
    readPostgresUrl(text);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(PostgresUrlError);
  expect(String(error)).toMatch(message);
  expect(String(error)).not.toContain('hunter2');
});
