import '@financing-checkout/widget/message/define';
