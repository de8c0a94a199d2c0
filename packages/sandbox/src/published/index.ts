export { checkAnswer, describeProblem } from './answer.ts';
export type { Answer, AnswerProblem } from './answer.ts';
export { checkNotification } from './notifications.ts';
export { findOperation, publishedOperations } from './operations.ts';
export type { PublishedOperation } from './operations.ts';
export type { BodyProblem } from './problem.ts';
