/**
 * The data that the browser, the companion and the merchant's backend exchange. Contains no keys,
 * does no I/O, and needs neither Node nor the DOM.
 * @packageDocumentation
 */
export * from './plain.ts';
export { checkFields, describeFields, inWords } from './field-errors.ts';
export { currencySchema, moneySchema, recordedCurrencySchema } from './money-schema.ts';
export { addressSchema, consumerSchema } from './consumer.ts';
export type { Address, Consumer } from './consumer.ts';
export {
  channels,
  discountSchema,
  MAX_ORDER_TICKET_LENGTH,
  merchantSchema,
  orderItemSchema,
  orderSchema,
  orderTicketClaimsSchema,
  orderTotal,
  posTypes,
  warrantySchema,
  orderedItemSchema,
} from './order.ts';
export type { Order, OrderAmounts, OrderedItem, OrderTicketClaims } from './order.ts';
export { describedOrderSchema, describedTicketClaimsSchema } from './ticket-description.ts';
export {
  checkoutStatuses,
  checkoutStatusSchema,
  environments,
  environmentSchema,
  outcomes,
  outcomeSchema,
} from './outcome.ts';
export type { CheckoutStatus, Environment, Outcome } from './outcome.ts';
export { actionKinds, trailEntrySchema, trailKinds, trailSchema } from './actions.ts';
export type { ActionKind, TrailEntry } from './actions.ts';
export {
  sessionRequestSchema,
  sessionSchema,
  signInMethodsSchema,
  signInProblems,
  signOutSchema,
} from './session.ts';
export type { Session, SignInMethods, SignInProblem, SignOut } from './session.ts';
export { fieldErrorSchema, problemCodes, problems, problemSchema, problemType } from './problem.ts';
export type { FieldError, Problem, ProblemCode } from './problem.ts';
export {
  checkoutSchema,
  confirmationRequestSchema,
  presentationNameSchema,
  presentations,
  presentationSchema,
  primeRequestSchema,
  PROTOCOL_VERSION,
  reversalSchema,
} from './storefront.ts';
export type {
  Checkout,
  ConfirmationRequest,
  Presentation,
  PresentationName,
  PrimeRequest,
  Reversal,
} from './storefront.ts';
export { linkStates, localeSchema, webAddress } from './storefront.ts';
export {
  hashedText,
  keptMessageSchema,
  productTypes,
  programmeFileSchema,
  programmePlaceholders,
  programmeSchema,
  programmesSchema,
  shownMessageSchema,
} from './programmes.ts';
export type {
  KeptMessage,
  Programme,
  ProgrammeFile,
  Programmes,
  ProgrammeText,
  ShownMessage,
} from './programmes.ts';
export {
  prequalificationRequestSchema,
  prequalificationSchema,
  prequalificationStatuses,
} from './prequalification.ts';
export type { Prequalification, PrequalificationRequest } from './prequalification.ts';
export { paymentRoundings, periodsInYear, repaymentOf } from './repayment.ts';
export type { PaymentPeriod, PaymentRounding, Repayment, RepaymentTerms } from './repayment.ts';
export { amountDifferenceReasons, amountDifferenceSchema } from './amount-difference.ts';
export type { AmountDifference } from './amount-difference.ts';
export { chargeStates, chargeStateSchema } from './charge-state.ts';
export type { KnownChargeState } from './charge-state.ts';
export { reversalKinds, reversalOf } from './reversal.ts';
export type { ReversalKind } from './reversal.ts';
export { checkoutRecordSchema, officeCheckoutSchema, webhookSchema } from './webhook.ts';
export type { CheckoutRecord, OfficeCheckout, Webhook } from './webhook.ts';
export { isPaid } from './is-paid.ts';
export type { ExpectedOrder, PaymentRecord } from './is-paid.ts';
export { deliverySchema, deliveriesSchema, deliveryStates } from './deliveries.ts';
export type { Delivery, DeliveryState } from './deliveries.ts';
export {
  chargeOperationKinds,
  chargeOperationSchema,
  chargeRecordSchema,
  chargesSchema,
  refundRequestSchema,
  resolutionOutcomes,
  resolutionRequestSchema,
  settleRequestSchema,
  unclearOperationSchema,
  unclearOperationsSchema,
  voidRequestSchema,
  orderChargesSchema,
} from './charges.ts';
export type {
  ChargeOperation,
  ChargeOperationKind,
  ChargeRecord,
  OrderCharges,
  ResolutionOutcome,
  UnclearOperation,
} from './charges.ts';
export {
  linkDeliveries,
  linkLanguages,
  linkRecordSchema,
  linkRequestSchema,
  linksSchema,
  MAX_LINK_ORDER_ID_LENGTH,
} from './links.ts';
export type { LinkDelivery, LinkRecord, LinkRequest } from './links.ts';
export { ledgerEntrySchema, ledgerSchema, ledgerStates, ledgerTypes } from './ledger.ts';
export type { LedgerEntry, LedgerState, LedgerType } from './ledger.ts';
export { fundingSchema, fundingsSchema, unreadableFundingSchema } from './fundings.ts';
export type { Funding, UnreadableFunding } from './fundings.ts';
export {
  ageBuckets,
  ageingSchema,
  caseAlertSchema,
  caseEventDetailSchema,
  caseEventKinds,
  caseEventSchema,
  caseHistorySchema,
  caseCountsSchema,
  casePeopleSchema,
  caseSchema,
  caseSortDirections,
  caseSorts,
  casesSchema,
  caseSummarySchema,
  foldedCaseSchema,
  isText,
  moneyBuckets,
  similarCasesSchema,
  trailVerificationSchema,
  trailDifferenceSchema,
  trailComparisonSchema,
  trailAlertSchema,
} from './cases.ts';
export type {
  CaseAlert,
  CaseEventDetail,
  CaseEventKind,
  CaseEventRecord,
  CaseCounts,
  CasePeople,
  CaseRecord,
  CaseSort,
  CaseSortDirection,
  CaseSummary,
  FoldedCase,
  SimilarCases,
  TrailAlert,
  TrailComparison,
  TrailDifference,
  TrailVerification,
} from './cases.ts';
export {
  type CaseAction,
  caseListOperations,
  type CaseOperation,
  type DecidedCase,
  caseOperations,
  manyCasesOperations,
} from './case-operations.ts';
export { caseStates, caseVerbs, caseVerbNames, permittedVerbs } from './case-verbs.ts';
export type { CaseState, CaseVerb } from './case-verbs.ts';
export { caseSheetFields, caseSheetRefusals, caseSheetSchema } from './case-sheet.ts';
export type {
  CaseSheet,
  CaseSheetDifference,
  CaseSheetField,
  CaseSheetRefusal,
  CaseSheetRefusalCode,
} from './case-sheet.ts';
export {
  fundingLineSchema,
  ledgerLineSchema,
  orderExceptionSchema,
  orderMomentSchema,
  orderStatusesSchema,
  orderStatusSchema,
} from './order-status.ts';
export type { ListedOrder, OrderStatusRecord, ShareSum } from './order-status.ts';
export {
  discountAuditSchema,
  exceptionsSchema,
  listedExceptionSchema,
  orderExplanationSchema,
  radarSchema,
  reconciliationSummarySchema,
  movedAmounts,
  walkAmounts,
  walkMonthsSchema,
  walkSchema,
  walkStatementSchema,
} from './reconciliation.ts';
export type {
  DiscountAuditRecord,
  OrderExplanation,
  RadarRecord,
  ReconciliationSummary,
  MovedAmount,
  Walk,
  WalkAmount,
  WalkMonths,
  WalkStatement,
} from './reconciliation.ts';
export { asPersonName, person } from './person.ts';
export { keyHeader } from './operation.ts';
export type { Call, ColumnKind, Operation, Table, Verb } from './operation.ts';
export type { AnswerOf, InputOf, OperationName, Operations, Reading } from './declared.ts';
export { dailyOperations } from './daily-operations.ts';
export { fundingOperations, syncListOperations } from './funding-operations.ts';
export { importListOperations } from './import-operations.ts';
export { journalOperations } from './journal-operations.ts';
export { moneyOperations } from './money-operations.ts';
export { serviceProblems, orderChargeOperations, orderListOperations } from './order-operations.ts';
export { periodOperations } from './period-operations.ts';
export { trailOperations } from './trail-operations.ts';
export { count, currencyCode, day, days, name, noQuery, oneOf, part, switched } from './query.ts';
export {
  acceptableChecks,
  adjustmentReasons,
  adjustmentsSchema,
  closeChecks,
  periodDetailSchema,
  type PeriodOrders,
  periodOrdersSchema,
  periodSchema,
  periodsSchema,
  periodStates,
  sealSchema,
  type SealProblem,
  sealProblemCodes,
  sealProblemSchema,
  sealVerificationSchema,
  withdrawableRequests,
} from './periods.ts';
export type {
  Adjustment,
  AdjustmentReason,
  Adjustments,
  CloseCheck,
  CloseCheckRecord,
  PeriodDetail,
  PeriodRecord,
  Periods,
  PeriodState,
  Seal,
  SealVerification,
} from './periods.ts';
export {
  chartRecordSchema,
  journalEntrySchema,
  journalExportSchema,
  journalExportsSchema,
  journalPreviewSchema,
  journalRequestSchema,
  journalTraceSchema,
} from './journals.ts';
export type {
  Account,
  AccountBalance,
  ChartRecord,
  JournalEntry,
  JournalExport,
  JournalFile,
  JournalLine,
  JournalPreview,
  JournalRefusal,
  JournalTrace,
} from './journals.ts';
export { lakeProblemCodes, lakeRecordSchema, lakeVerificationSchema } from './lake.ts';
export type { LakeProblem, LakeRecord, LakeVerification } from './lake.ts';
export {
  importsSchema,
  ledgerImportSchema,
  ledgerPreviewSchema,
  listedImportSchema,
  withdrawalRequestSchema,
  withdrawalSchema,
} from './ledger-import.ts';
export type {
  LedgerImportRecord,
  LedgerPreview,
  ListedImport,
  Withdrawal,
} from './ledger-import.ts';
export { ledgerImportFields, ledgerOptions, ledgerPreset } from './ledger-options.ts';
export type { LedgerImportField, LedgerOptions, LedgerPreset } from './ledger-options.ts';
export { forecastSchema, lagsSchema } from './forecast.ts';
export type { Forecast, Lags } from './forecast.ts';
export {
  amountsOfSearch,
  scannedKinds,
  searchGroupKinds,
  searchHitSchema,
  ledgerStartAnswers,
  ledgerStartRequestSchema,
  ledgerStartSchema,
  searchKinds,
  searchSchema,
  todayItemSchema,
  todayKinds,
  todaySchema,
} from './today.ts';
export type {
  LedgerStartAnswer,
  ScannedKind,
  SearchGroupKind,
  SearchHit,
  SearchKind,
  SearchResult,
  Today,
  TodayItem,
  TodayKind,
} from './today.ts';
export { migrationLineSchema } from './migration.ts';
export type { MigrationLine } from './migration.ts';
export {
  coverageSchema,
  fundingDaySchema,
  fundingDaysSchema,
  quarantinedSchema,
  syncRequestSchema,
  syncSchema,
  syncsSchema,
} from './syncs.ts';
export type { Coverage, FundingDay, FundingSync } from './syncs.ts';
