export {
  type DeliveryAttempt,
  type DeliveryResult,
  deliverDue,
  type Outbox,
  type OutboxMessage,
  sendMessage,
  type WebhookTarget,
} from './delivery.ts';
export { clockSkewMs, describeSkew, watchClocks } from './skew.ts';
