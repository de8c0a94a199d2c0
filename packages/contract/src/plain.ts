/**
 * Money and vocabularies without the schema library, which uses 15 MB of memory in each thread that
 * loads it.
 * @packageDocumentation
 */
export { caseVerbNames, caseVerbs, fieldOfVerb, permittedVerbs } from './case-verbs.ts';
export type { CaseVerb } from './case-verbs.ts';
export {
  exceptionCodes,
  exceptions,
  exceptionTexts,
  explainException,
  usualCaseDays,
} from './exceptions.ts';
export type { ExceptionCode, ExceptionFacts, ExceptionTexts } from './exceptions.ts';
export { FILE_KIND_BYTES, fileKindAdvice, fileKindOf, WORKBOOK_TYPE } from './file-kind.ts';
export type { FileKind, UnreadableKind } from './file-kind.ts';
export {
  accountTypes,
  journalAccounts,
  journalDetails,
  journalEntryOfId,
  journalFormats,
  journalKinds,
} from './journal-words.ts';
export type {
  AccountType,
  JournalAccount,
  JournalDetail,
  JournalFormatName,
  JournalKind,
} from './journal-words.ts';
export {
  hasTwoAmounts,
  ledgerPresetNames,
  ledgerQuestions,
  openQuestions,
  requiredFields,
} from './ledger-questions.ts';
export type { LedgerPresetName, LedgerQuestion } from './ledger-questions.ts';
export {
  currencies,
  fromMajorUnits,
  isCurrency,
  isCurrencyOn,
  MAX_MINOR_UNITS,
  minorUnitDigits,
  MoneyError,
  toMajorUnits,
} from './money.ts';
export { reasonWords, statusReasons } from './reasons.ts';
export type { ReasonFormats, ReasonWords } from './reasons.ts';
export type { Money } from './money.ts';
export {
  dayStates,
  fundingAxis,
  fundingStatuses,
  headlines,
  missingStatuses,
  returnsAxis,
  setUpStates,
  syncStates,
} from './words.ts';
export type {
  FundingAxis,
  FundingDayState,
  Headline,
  ReturnsAxis,
  SetUpState,
  SyncState,
} from './words.ts';
