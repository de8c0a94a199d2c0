import { describe, expect, test } from 'vitest';
import { postgresName, PostgresUrlError, readPostgresUrl } from './postgres-url.ts';

const defaults = { applicationName: 'example', poolSize: 10 };
const read = (text: string) => readPostgresUrl(text, defaults);

test('decodes host, port, database, user and password', () => {
  expect(read('postgres://us%65r:p%40ss@db.example:5433/fin%2Dance')).toMatchObject({
    hosts: [{ host: 'db.example', port: 5433 }],
    database: 'fin-ance',
    user: 'user',
    password: 'p@ss',
    applicationName: 'example',
    poolSize: 10,
  });
  expect(read('postgresql://[::1]/d')).toMatchObject({
    hosts: [{ host: '::1', port: 5432 }],
  });
  expect(read('postgres:///d?host=/run/postgresql&pool_size=3')).toMatchObject({
    hosts: [{ host: '/run/postgresql', port: 5432 }],
    tls: undefined,
    poolSize: 3,
  });
});

test('takes the last "@" as the end of the password', () => {
  expect(read('postgres://u:p@ss@h/d')).toMatchObject({
    password: 'p@ss',
    hosts: [{ host: 'h' }],
  });
});

test.each([
  ['postgres://u:p@db.example/d?pool_size=3', 'postgres://db.example:5432/d'],
  ['postgres://[::1]:6432/d', 'postgres://[::1]:6432/d'],
  ['postgres:///d?host=/run/postgresql', 'postgres:///d'],
  ['postgres://u:p@db1:5433,db2,[::1]/d', 'postgres://db1:5433,db2:5432,[::1]:5432/d'],
])('names %s without user and password', (text, name) => {
  expect(postgresName(read(text))).toBe(name);
});

test('reads several hosts, each with its own port', () => {
  expect(
    read(
      'postgres://u:p,w@db1.example:5433,db2.example,[::1]:5434/d?target_session_attrs=read-write',
    ),
  ).toMatchObject({
    user: 'u',
    password: 'p,w',
    hosts: [
      { host: 'db1.example', port: 5433 },
      { host: 'db2.example', port: 5432 },
      { host: '::1', port: 5434 },
    ],
    tls: { mode: 'verify-full' },
  });
  expect(read('postgres://localhost:5433,127.0.0.1:5434/d').tls).toBeUndefined();
  expect(read('postgres://localhost:5433,db.example/d').tls).toMatchObject({ mode: 'verify-full' });
});

test('reads the user, the password and the port of a socket', () => {
  expect(read('postgres://us%65r:p%40ss@/d?host=/cloudsql/project:region:name')).toMatchObject({
    hosts: [{ host: '/cloudsql/project:region:name', port: 5432 }],
    database: 'd',
    user: 'user',
    password: 'p@ss',
    tls: undefined,
  });
  expect(read('postgres://user@:6432/d?host=/run/pgbouncer')).toMatchObject({
    hosts: [{ host: '/run/pgbouncer', port: 6432 }],
    user: 'user',
    password: undefined,
  });
});

describe('TLS', () => {
  const tls = (text: string) => read(text).tls;

  test('is verified for remote hosts by default', () => {
    expect(tls('postgres://db.example/d')).toMatchObject({ mode: 'verify-full' });
    expect(tls('postgres://db.example/d?sslmode=disable')).toBeUndefined();
    expect(tls('postgres://localhost/d')).toBeUndefined();
    expect(tls('postgres://127.0.0.1/d?sslmode=verify-ca&sslrootcert=/ca.pem')).toEqual({
      mode: 'verify-ca',
      rootCertificateFile: '/ca.pem',
      certificateFile: undefined,
      keyFile: undefined,
      channelBinding: 'disable',
      negotiation: 'postgres',
    });
  });

  test('accepts the URLs that hosted databases provide', () => {
    expect(tls('postgres://u@db.example/d?sslmode=require&channel_binding=require')).toMatchObject({
      mode: 'require',
      channelBinding: 'require',
    });
    expect(tls('postgres://db.example/d?channel_binding=prefer')).toMatchObject({
      mode: 'verify-full',
      channelBinding: 'prefer',
    });
    expect(tls('postgres://localhost/d?sslrootcert=system')).toMatchObject({
      mode: 'verify-full',
      rootCertificateFile: undefined,
    });
    expect(tls('postgres://db.example/d?sslnegotiation=direct')).toMatchObject({
      negotiation: 'direct',
    });
  });

  test('refuses modes that may fall back to an unencrypted connection', () => {
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
  [
    'an unknown parameter',
    'postgres://u:hunter2@h/d?sslmdoe=disable',
    /the parameter sslmdoe, which is/,
  ],
  [
    'a parameter twice',
    'postgres://u:hunter2@h/d?sslmode=disable&sslmode=require',
    /the parameter sslmode, which is repeated/,
  ],
  ['a key without its certificate', 'postgres://u:hunter2@h/d?sslkey=/k', /together/],
  ['binding without TLS', 'postgres://db.example/d?sslmode=disable&channel_binding=require', /TLS/],
  ['binding on this machine', 'postgres://localhost/d?channel_binding=require', /add sslmode/],
  ['an unknown binding', 'postgres://h/d?channel_binding=always', /disable, prefer, require/],
  ['any authority for any host', 'postgres://h/d?sslmode=require&sslrootcert=system', /any host/],
  ['a "#" in the password', 'postgres://u:hunter2#x@h/d', /%23/],
  ['a "#" after digits', 'postgres://u:12#hunter2@h/d', /%23/],
  ['a "/" in the password', 'postgres://u:hunter2/x@h/d', /%2F/],
  ['a "/" after digits, which would be the port', 'postgres://u:12/hunter2@h', /%2F/],
  ['a "?" in the password', 'postgres://u:12?hunter2=x@h/d', /%3F/],
  ['a "@" and a "/" in the password', 'postgres://u:p@ss/hunter2@h/d', /%40/],
  [
    'an encoded name that is no parameter',
    'postgres://h/d?hunter2%20x=1',
    /has a parameter, which/,
  ],
  ['an empty host among several', 'postgres://u:hunter2@h1,,h2/d', /must name a host/],
  ['a port beyond the last one', 'postgres://u:hunter2@h1:1,h2:65536/d', /must be postgres/],
  ['a port that is no number', 'postgres://u:hunter2@h1,h2:five/d', /must be postgres/],
  ['standbys', 'postgres://u:hunter2@h/d?target_session_attrs=any', /read-write/],
  ['a folder beside hosts', 'postgres://h1,h2/d?host=/run/postgresql', /folder of a socket/],
  ['a pool of none', 'postgres://u:hunter2@h/d?pool_size=0', /pool_size/],
  ['a folder beside a host', 'postgres://h/d?host=/run/postgresql', /folder of a socket/],
  ['a host that is not a folder', 'postgres:///d?host=elsewhere', /folder of a socket/],
])('refuses %s without repeating its values', (_, text, message) => {
  let error: unknown;
  try {
    read(text);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(PostgresUrlError);
  expect(String(error)).toMatch(message);
  expect(String(error)).not.toContain('hunter2');
});
