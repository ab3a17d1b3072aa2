-- The `traceparent` that deliveries of an event carry, if the request behind it named a trace: 55 characters.
alter table events add column trace text;
