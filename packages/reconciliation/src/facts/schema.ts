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
  /** What the events of the trail make of each case: a cache. `alerted` is 0 or 1, `body` JSON of a case. */
  cases: {
    id: string;
    number: number;
    order_key: string;
    currency: string;
    code: string;
    state: string;
    assignee: string | null;
    alerted: number;
    merged_into: string | null;
    body: string;
  };
  trail: {
    seq: number;
    /** Number of the fact; null: the event is none. */
    number: number | null;
    at: number;
    subject: string;
    kind: string;
    actor: string;
    /** JSON array of the issuer and the subject of a person at an OpenID provider. */
    person: string | null;
    detail: string;
    begun: number | null;
    outcome: string | null;
    key: string | null;
    previous: string;
    hash: string;
  };
  /** The end of the trail, and the version of `fold` that made the cases. */
  trail_head: { one: 1; seq: number; hash: string; folded: number };
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
  /** Seals of closed periods. The trail states the SHA-256 of each body. */
  seals: { seq: number; number: number; period: string; at: number; body: string };
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
    `create table days (
      day ${text} not null primary key, number ${whole} not null unique, state ${text} not null,
      reason ${text}, zone ${text} not null, sync_id ${text} not null, passes ${whole} not null,
      pages ${whole} not null, "overlaps" ${whole} not null, count ${whole} not null,
      changed ${whole} not null, gone ${whole} not null, digest ${text} not null,
      proven_at ${whole}) ${end}`,
    `create table day_contents (
      day ${text} not null primary key, content ${bytes} not null, checksum ${text} not null) ${end}`,
    `create table superseded_contents (
      day ${text} not null, number ${whole} not null, replaced_at ${whole} not null,
      count ${whole} not null, sha256 ${text} not null, content ${bytes} not null,
      primary key (day, number)) ${end}`,
    `create index superseded_by_age on superseded_contents (replaced_at)`,
    `create table ledger_imports (
      id ${text} not null primary key, number ${whole} not null unique, action ${text} not null,
      source ${text} not null, actor ${text}, digest ${text} not null, count ${whole} not null,
      at ${whole} not null, origin ${text}, origin_stated ${whole}, file_columns ${text},
      period_from ${whole}, period_to ${whole}) ${end}`,
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
    `create table trail (
      seq ${whole} not null primary key, number ${whole} unique, at ${whole} not null,
      subject ${text} not null, kind ${text} not null, actor ${text} not null, person ${text},
      detail ${text} not null, begun ${whole}, outcome ${text}, key ${text} unique,
      previous ${text} not null, hash ${text} not null) ${end}`,
    `create index trail_by_subject on trail (subject, seq)`,
    `create index trail_by_kind on trail (kind, seq)`,
    `create index trail_by_begun on trail (begun, seq) where begun is not null`,
    `create table trail_head (
      one ${whole} not null primary key check (one = 1), seq ${whole} not null,
      hash ${text} not null, folded ${whole} not null) ${end}`,
    ...tableOfCases(kind),
    `create table alerts (
      id ${text} not null primary key, case_id ${text} not null, body ${text} not null,
      created_at ${whole} not null, tries ${whole} not null, next_attempt_at ${whole},
      delivered_at ${whole}, last_reason ${text}) ${end}`,
    `create index alerts_due on alerts (next_attempt_at)`,
    `create table seals (
      seq ${whole} not null primary key, number ${whole} not null unique, period ${text} not null,
      at ${whole} not null, body ${text} not null) ${end}`,
    `create table seal_flows (
      seq ${whole} not null primary key, content ${bytes} not null, checksum ${text} not null) ${end}`,
    `create table sealed_days (
      day ${text} not null, checksum ${text} not null, primary key (day, checksum)) ${end}`,
    `create table sealed_contents (
      day ${text} not null, checksum ${text} not null, content ${bytes} not null,
      primary key (day, checksum)) ${end}`,
    `create table journals (
      seq ${whole} not null primary key, period ${text} not null, format ${text} not null,
      at ${whole} not null, body ${text} not null, chart ${text} not null) ${end}`,
    `create table journal_contents (
      seq ${whole} not null, part ${text} not null, content ${bytes} not null,
      checksum ${text} not null, primary key (seq, part)) ${end}`,
    `create table people (
      issuer ${text} not null, subject ${text} not null, name ${text} not null,
      folded ${text} not null unique, primary key (issuer, subject)) ${end}`,
    `create table sessions (
      id ${text} not null primary key, name ${text} not null, issuer ${text}, subject ${text},
      provider_session ${text}, roles ${text}, started_at ${whole} not null,
      idle_ends_at ${whole} not null, ends_at ${whole} not null,
      confirmed_until ${whole} not null, proof ${text} not null, ended ${text}) ${end}`,
    `create index sessions_by_person on sessions (issuer, subject)`,
    `create index sessions_by_end on sessions (ends_at)`,
  ];
}

/** Returns the statements that create the cache of cases where it is missing. */
export function tableOfCases(kind: DatabaseKind): string[] {
  const { text, whole, end } = types[kind];
  return [
    `create table if not exists cases (
      id ${text} not null primary key, number ${whole} not null unique, order_key ${text} not null,
      currency ${text} not null, code ${text} not null, state ${text} not null, assignee ${text},
      alerted ${whole} not null, merged_into ${text}, body ${text} not null,
      unique (order_key, currency, code)) ${end}`,
    `create index if not exists cases_merged on cases (merged_into) where merged_into is not null`,
  ];
}
