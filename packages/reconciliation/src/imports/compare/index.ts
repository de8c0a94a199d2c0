export {
  correctionTables,
  createGone,
  differenceOf,
  findGone,
  originOfStaged,
  questionOf,
} from './correction.ts';
export {
  applyLines,
  checkStaged,
  compareAll,
  copyToContent,
  dropStaged,
  effects,
  type ImportAction,
  isParquet,
  joinLines,
  stageLines,
  writeContent,
} from './lines.ts';
export {
  choiceOf,
  findLookAlikes,
  type LookAlikeChoice,
  refusalOf,
  setAmountsApart,
  setApart,
  writeReplaced,
} from './look-alikes.ts';
export { originOf, type StatedOrigin } from './origin.ts';
