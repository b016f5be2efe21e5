"""The battle of «Война Стальной Розы»: deployment, manoeuvres, the reference engine."""
