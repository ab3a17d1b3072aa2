-- The mailed code before an enrolment is a row of mailed_codes, as every other code is, so that the limits of an address count it.
alter table half_sign_ins drop column code_hash;
alter table half_sign_ins drop column code_tries;
alter table half_sign_ins drop column code_sent_at;
