/*
 * The shared CLI toolkit: commands, options, tables, exit codes, and the HTTP client for a running
 * program.
 */
export { listenerUrl, personOf, readPeerAddress } from './address.ts';
export {
  call,
  linesOf,
  type LongAnswer,
  type PeerRequest,
  readBytes,
  readLines,
  readPages,
  readPart,
  readText,
} from './client.ts';
export { addCommand, addGroup } from './command.ts';
export { addDoctor, failed, type Finding, misspelled, ok, warning } from './doctor.ts';
export { CommandFailure, exitCodes, exitMeanings, reasonOf } from './exit.ts';
export {
  announceKey,
  choice,
  count,
  flag,
  type OptionOf,
  type OptionTable,
  type OptionValues,
  required,
  shared,
  value,
  withDefault,
} from './options.ts';
export {
  type Connection,
  invalidAnswer,
  notAnswered,
  type Peer,
  type PeerProblem,
  refusal,
} from './peer.ts';
export { type ProgramDefinition, type Register, runProcess, runProgram } from './program.ts';
export type { Schema } from './schema.ts';
export { type Serving, serveUntilSignal } from './serve.ts';
export { processShell, type Shell } from './shell.ts';
export {
  printable,
  printAnswer,
  printEach,
  printTable,
  type TableColumn,
  tableLines,
} from './table.ts';
export { addVerb, type DeclaredOperation, type Verbs } from './verbs.ts';
