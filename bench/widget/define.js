// Measured only for its size: the bundle of the entry point that is published without its
// dependencies.
import '@financing-checkout/widget/define';
