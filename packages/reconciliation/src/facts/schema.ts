/** Tables of the record store for Kysely. */
export interface FactTables {
  fact_head: {
    one: 1;
    store_id: string;
    last_number: number;
    fence: number;
    holder: string;
    address: string | null;
    until: number;
    environment: string | null;
  };
  days: {
    day: string;
    number: number;
    state: string;
    reason: string | null;
    zone: string;
    sync_id: string;
    passes: number;
    pages: number;
    overlaps: number;
    count: number;
    changed: number;
    gone: number;
    digest: string;
    proven_at: number | null;
  };
  /** Contents of the rows in `days`. */
  day_contents: { day: string; content: Uint8Array; checksum: string };
  superseded_contents: {
    day: string;
    number: number;
    replaced_at: number;
    count: number;
    sha256: string;
    content: Uint8Array;
  };
  ledger_imports: {
    id: string;
    number: number;
    action: string;
    source: string;
    actor: string | null;
    digest: string;
    count: number;
    at: number;
    origin: string | null;
    origin_stated: number | null;
    file_columns: string | null;
    period_from: number | null;
    period_to: number | null;
  };
  ledger_import_contents: { id: string; content: Uint8Array };
  sync_runs: {
    id: string;
    state: string;
    reason: string | null;
    from_day: string;
    to_day: string;
    zone: string;
    tiers: number;
    started_at: number;
    ended_at: number | null;
    resumed: number;
    days_planned: number;
    days_done: number;
    days_unproven: number;
    records: number;
    changed: number;
    gone: number;
    quarantined: number;
  };
  cases: {
    id: string;
    number: number;
    order_key: string;
    currency: string;
    code: string;
    state: string;
    amount: number;
    count: number;
    since: number;
    content_hash: string;
    assignee: string | null;
    reason: string | null;
    opened_at: number;
    updated_at: number;
    alerted_at: number | null;
    open_since: number;
    snoozed_until: number | null;
    snoozed_content: string | null;
    mentions: string | null;
    merged_into: string | null;
  };
  case_events: {
    seq: number;
    number: number;
    case_id: string;
    at: number;
    kind: string;
    actor: string;
    detail: string;
    previous: string;
    hash: string;
    key: string | null;
  };
  case_chain: { one: 1; last_seq: number; last_hash: string };
  actions: {
    seq: number;
    at: number;
    actor: string;
    kind: string;
    subject: string;
    detail: string;
    begun: number | null;
    outcome: string | null;
    previous: string;
    hash: string;
    key: string | null;
    /** Issuer and subject of a person at an OpenID provider. */
    person_issuer: string | null;
    person_subject: string | null;
  };
  action_chain: { one: 1; last_seq: number; last_hash: string };
  people: { issuer: string; subject: string; name: string; folded: string };
  /** Sessions of the console. The columns of a person are null for a token. */
  sessions: {
    /** Digest of the cookie's secret, so that a copy of the store does not give access to sessions. */
    id: string;
    /** Name of the token, or of the person in the trail. */
    name: string;
    issuer: string | null;
    subject: string | null;
    /** The provider's id of its session (`sid`). */
    provider_session: string | null;
    /** Values of the provider's claim that were mapped to scopes, as a JSON array. */
    roles: string | null;
    started_at: number;
    idle_ends_at: number;
    ends_at: number;
    /** From this time on, the session is refused unless the provider confirms it. */
    confirmed_until: number;
    /** Code over the session that only a process with its token or client secret can compute. */
    proof: string;
    /** Reason for its end, as a sentence. */
    ended: string | null;
  };
  /** Seals of closed periods, a chain of hashes. */
  seals: {
    seq: number;
    number: number;
    period: string;
    at: number;
    body: string;
    previous: string;
    hash: string;
  };
  seal_flows: { seq: number; content: Uint8Array; checksum: string };
  /** Sealed contents, including those that a sync has replaced. */
  sealed_days: { day: string; checksum: string };
  sealed_contents: { day: string; checksum: string; content: Uint8Array };
  /** Exports of journals: see JournalFact. `part` is `file` or `postings`. */
  journals: {
    seq: number;
    period: string;
    format: string;
    at: number;
    body: string;
    chart: string;
  };
  journal_contents: { seq: number; part: string; content: Uint8Array; checksum: string };
  alerts: {
    id: string;
    case_id: string;
    body: string;
    created_at: number;
    tries: number;
    next_attempt_at: number | null;
    delivered_at: number | null;
    last_reason: string | null;
  };
}

export type DatabaseKind = 'sqlite' | 'postgres';

/** Column types per database. Texts sort by code unit in both databases. */
const types = {
  sqlite: { text: 'text', whole: 'integer', bytes: 'blob', end: 'strict' },
  postgres: { text: 'text collate "C"', whole: 'bigint', bytes: 'bytea', end: '' },
} as const;

/** Returns the statements that create the tables of {@link FactTables}. */
export function baseline(kind: DatabaseKind): string[] {
  const { text, whole, bytes, end } = types[kind];
  // Contents are in separate tables, so that a change to a day's state does not rewrite its
  // content.
  return [
    `create table fact_head (
      one ${whole} not null primary key check (one = 1), store_id ${text} not null,
      last_number ${whole} not null, fence ${whole} not null, holder ${text} not null,
      address ${text}, until ${whole} not null, environment ${text}) ${end}`,
    `create table superseded_contents (
      day ${text} not null, number ${whole} not null, replaced_at ${whole} not null,
      count ${whole} not null, sha256 ${text} not null, content ${bytes} not null,
      primary key (day, number)) ${end}`,
    `create index superseded_by_age on superseded_contents (replaced_at)`,
    `create table ledger_imports (
      id ${text} not null primary key, number ${whole} not null unique, action ${text} not null,
      source ${text} not null, actor ${text}, digest ${text} not null, count ${whole} not null,
      at ${whole} not null) ${end}`,
    `create table ledger_import_contents (
      id ${text} not null primary key, content ${bytes} not null) ${end}`,
    `create table sync_runs (
      id ${text} not null primary key, state ${text} not null, reason ${text},
      from_day ${text} not null, to_day ${text} not null, zone ${text} not null,
      tiers ${whole} not null, started_at ${whole} not null, ended_at ${whole},
      resumed ${whole} not null, days_planned ${whole} not null, days_done ${whole} not null,
      days_unproven ${whole} not null, records ${whole} not null, changed ${whole} not null,
      gone ${whole} not null, quarantined ${whole} not null) ${end}`,
    `create index sync_runs_by_age on sync_runs (started_at, id)`,
    `create table cases (
      id ${text} not null primary key, number ${whole} not null unique, order_key ${text} not null,
      currency ${text} not null, code ${text} not null, state ${text} not null,
      amount ${whole} not null, count ${whole} not null, since ${whole} not null,
      content_hash ${text} not null, assignee ${text}, reason ${text}, opened_at ${whole} not null,
      updated_at ${whole} not null, alerted_at ${whole}, unique (order_key, currency, code)) ${end}`,
    `create table case_events (
      seq ${whole} not null primary key, number ${whole} not null unique, case_id ${text} not null,
      at ${whole} not null, kind ${text} not null, actor ${text} not null, detail ${text} not null,
      previous ${text} not null, hash ${text} not null, key ${text} unique) ${end}`,
    `create index case_events_by_case on case_events (case_id, seq)`,
    `create table case_chain (
      one ${whole} not null primary key check (one = 1), last_seq ${whole} not null,
      last_hash ${text} not null) ${end}`,
    `create table alerts (
      id ${text} not null primary key, case_id ${text} not null, body ${text} not null,
      created_at ${whole} not null, tries ${whole} not null, next_attempt_at ${whole},
      delivered_at ${whole}, last_reason ${text}) ${end}`,
    `create index alerts_due on alerts (next_attempt_at)`,
  ];
}

/** Returns the statements that add the origin of imports. */
export function originOfImports(kind: DatabaseKind): string[] {
  const { text, whole } = types[kind];
  const columns = [
    `origin ${text}`,
    `origin_stated ${whole}`,
    `file_columns ${text}`,
    `period_from ${whole}`,
    `period_to ${whole}`,
  ];
  return columns.map((column) => `alter table ledger_imports add column ${column}`);
}

/** Returns the statements that create the tables of the action trail. */
export function trailOfActions(kind: DatabaseKind): string[] {
  const { text, whole, end } = types[kind];
  return [
    `create table actions (
      seq ${whole} not null primary key, at ${whole} not null, actor ${text} not null,
      kind ${text} not null, subject ${text} not null, detail ${text} not null, begun ${whole},
      outcome ${text}, previous ${text} not null, hash ${text} not null, key ${text} unique) ${end}`,
    `create index actions_by_begun on actions (begun, seq)`,
    `create table action_chain (
      one ${whole} not null primary key check (one = 1), last_seq ${whole} not null,
      last_hash ${text} not null) ${end}`,
  ];
}

/** Returns the statement that creates the table of ended console sessions. */
export function endedSessionsTable(kind: DatabaseKind): string {
  const { text, whole, end } = types[kind];
  return `create table ended_sessions (
    id ${text} not null primary key, ends_at ${whole} not null) ${end}`;
}

/** Returns the statements that create the tables of people who sign in, and of their sessions. */
export function tablesOfPeople(kind: DatabaseKind): string[] {
  const { text, whole, end } = types[kind];
  return [
    `create table people (
      issuer ${text} not null, subject ${text} not null, name ${text} not null,
      folded ${text} not null unique, primary key (issuer, subject)) ${end}`,
    `create table person_sessions (
      id ${text} not null primary key, issuer ${text} not null, subject ${text} not null,
      provider_session ${text}, roles ${text} not null, tokens ${text} not null,
      started_at ${whole} not null, idle_ends_at ${whole} not null, ends_at ${whole} not null,
      checked_at ${whole} not null, claimed_until ${whole} not null) ${end}`,
    `create index person_sessions_by_person on person_sessions (issuer, subject)`,
    `create index person_sessions_by_end on person_sessions (ends_at)`,
  ];
}

/** Returns the statements that combine two session tables into one. */
export function tableOfSessions(kind: DatabaseKind): string[] {
  const { text, whole, end } = types[kind];
  return [
    `drop table ended_sessions`,
    `drop table person_sessions`,
    `create table sessions (
      id ${text} not null primary key, name ${text} not null, issuer ${text}, subject ${text},
      provider_session ${text}, roles ${text}, started_at ${whole} not null,
      idle_ends_at ${whole} not null, ends_at ${whole} not null,
      confirmed_until ${whole} not null, proof ${text} not null, ended ${text}) ${end}`,
    `create index sessions_by_person on sessions (issuer, subject)`,
    `create index sessions_by_end on sessions (ends_at)`,
  ];
}

/** Returns the statement that creates the table of contents in Parquet. */
export function dayContentsTable(kind: DatabaseKind): string {
  const { text, bytes, end } = types[kind];
  return `create table day_contents (
    day ${text} not null primary key, content ${bytes} not null, checksum ${text} not null) ${end}`;
}

export function daysTable(kind: DatabaseKind): string {
  const { text, whole, end } = types[kind];
  return `create table days (
    day ${text} not null primary key, number ${whole} not null unique, state ${text} not null,
    reason ${text}, zone ${text} not null, sync_id ${text} not null, passes ${whole} not null,
    pages ${whole} not null, "overlaps" ${whole} not null, count ${whole} not null,
    changed ${whole} not null, gone ${whole} not null, digest ${text} not null,
    proven_at ${whole}) ${end}`;
}

/** Returns the statement that adds the start of open cases. */
export function startOfCases(kind: DatabaseKind): string {
  return `alter table cases add column open_since ${types[kind].whole}`;
}

/** Returns the statements that add the columns of snoozes. */
export function snoozedCases(kind: DatabaseKind): string[] {
  const { text, whole } = types[kind];
  return [`snoozed_until ${whole}`, `snoozed_content ${text}`].map(
    (column) => `alter table cases add column ${column}`,
  );
}

/** Returns the statement that adds the mentions of a case, as a JSON array. */
export function mentionsOfCases(kind: DatabaseKind): string {
  return `alter table cases add column mentions ${types[kind].text}`;
}

/** Returns the statements that add the column of main cases. */
export function mergedCases(kind: DatabaseKind): string[] {
  return [
    `alter table cases add column merged_into ${types[kind].text}`,
    `create index cases_merged on cases (merged_into) where merged_into is not null`,
  ];
}

/** Returns the statements that create the tables of periods and their seals. */
export function tablesOfPeriods(kind: DatabaseKind): string[] {
  const { text, whole, bytes, end } = types[kind];
  return [
    `create table period_work (id ${text} not null primary key, work ${text} not null) ${end}`,
    `create table seals (
      seq ${whole} not null primary key, number ${whole} not null unique, period ${text} not null,
      at ${whole} not null, body ${text} not null, previous ${text} not null, hash ${text} not null,
      reopened ${text}) ${end}`,
    `create table seal_flows (
      seq ${whole} not null primary key, content ${bytes} not null, checksum ${text} not null) ${end}`,
    `create table sealed_days (
      day ${text} not null, checksum ${text} not null, primary key (day, checksum)) ${end}`,
    `create table sealed_contents (
      day ${text} not null, checksum ${text} not null, content ${bytes} not null,
      primary key (day, checksum)) ${end}`,
  ];
}

/** Returns the statements that create the tables of exported journals. */
export function tablesOfJournals(kind: DatabaseKind): string[] {
  const { text, whole, bytes, end } = types[kind];
  return [
    `create table journals (
      seq ${whole} not null primary key, period ${text} not null, format ${text} not null,
      at ${whole} not null, body ${text} not null, chart ${text} not null) ${end}`,
    `create table journal_contents (
      seq ${whole} not null, part ${text} not null, content ${bytes} not null,
      checksum ${text} not null, primary key (seq, part)) ${end}`,
  ];
}

/**
 * Returns the statements that move decisions about periods to the trail of actions, with the person at
 * the OpenID provider.
 */
export function decisionsInTrail(kind: DatabaseKind): string[] {
  const { text } = types[kind];
  return [
    `alter table actions add column person_issuer ${text}`,
    `alter table actions add column person_subject ${text}`,
    `create index actions_by_kind on actions (kind, seq)`,
    `drop table period_work`,
    `alter table seals drop column reopened`,
  ];
}
